;@ stage: constructors
; Static constructors and destructors become pointers in ELF's own sections; those with a priority run first.

@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 65535, ptr @_GLOBAL__sub_I_ledger.cpp, ptr null },
  { i32, ptr, ptr } { i32 101, ptr @early, ptr null }]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @late, ptr null }]
@kept = internal global i32 1
@llvm.used = appending global [1 x ptr] [ptr @kept], section "llvm.metadata"

define internal void @_GLOBAL__sub_I_ledger.cpp() {
  ret void
}

define internal void @early() {
  ret void
}

define internal void @late() {
  ret void
}

;= @kept = internal global i32 1
;= @concord.init_array.0 = internal global ptr @_GLOBAL__sub_I_ledger.cpp, section ".init_array", align 8
;= @concord.init_array.1 = internal global ptr @early, section ".init_array.00101", align 8
;= @concord.fini_array.0 = internal global ptr @late, section ".fini_array", align 8
;= @llvm.used = appending global [4 x ptr] [ptr @kept, ptr @concord.init_array.0, ptr @concord.init_array.1, ptr @concord.fini_array.0], section "llvm.metadata"
;=
;= define internal void @_GLOBAL__sub_I_ledger.cpp() {
;=   ret void
;= }
;=
;= define internal void @early() {
;=   ret void
;= }
;=
;= define internal void @late() {
;=   ret void
;= }
