;@ stage: standard

; What std's build has inlined: a lock behind `print`, the counts of an Arc, a drop of a guard. What touches state
; of std gets no probes, is inlined nowhere, and is a region where it comes to code with probes.

@_ZN3std2io5stdio6STDOUT17h18aba970684159e7E = internal global i32 0
@_ZN3std9panicking11panic_count17LOCAL_PANIC_COUNT17h18aba970684159e7E = internal thread_local global i64 0
@table = internal constant [2 x i8] c"ab"

; A region: the user's formatting code runs inside.
define void @_ZN3std2io5stdio6_print17h18aba970684159e7E(ptr %arguments) {
  %taken = cmpxchg ptr @_ZN3std2io5stdio6STDOUT17h18aba970684159e7E, i32 0, i32 1 acquire monotonic
  call void @_ZN4core3fmt5write17h18aba970684159e7E(ptr %arguments)
  store atomic i32 0, ptr @_ZN3std2io5stdio6STDOUT17h18aba970684159e7E release, align 4
  ret void
}

; Probes.
define void @_ZN4core3fmt5write17h18aba970684159e7E(ptr %arguments) {
  br label %next

next:
  %index = phi i64 [ 0, %0 ], [ %after, %next ]
  %after = add i64 %index, 1
  %place = getelementptr i8, ptr @table, i64 %index
  %byte = load volatile i8, ptr %place
  %more = icmp ult i64 %after, 2
  br i1 %more, label %next, label %done

done:
  ret void
}

; A reference count is no lock: selected.
define void @_ZN5alloc4sync16Arc$LT$T$C$A$GT$9drop_slow17h18aba970684159e7E(ptr %count) {
  %old = atomicrmw sub ptr %count, i64 1 release
  ret void
}

; A lock: no probes, nothing to guard.
define void @_ZN4core3ptr13drop_in_place17h18aba970684159e7E(ptr %lock) {
  %old = atomicrmw xchg ptr %lock, i32 0 release
  ret void
}

; A thread-local alone: no probes, nothing to guard.
define i64 @_ZN4core4cell5count17h18aba970684159e7E() {
  %place = call ptr @llvm.threadlocal.address.p0(ptr @_ZN3std9panicking11panic_count17LOCAL_PANIC_COUNT17h18aba970684159e7E)
  %count = load i64, ptr %place
  ret i64 %count
}

; Takes a lock that is counted, and releases it by code that is not seen: the depth is set back.
define void @_ZN3std2io5stdio5flush17h18aba970684159e7E(ptr %stream) {
  %guard = call ptr @_ZN3std2io5stdio6Stdout4lock17h18aba970684159e7E(ptr %stream)
  ret void
}

define ptr @_ZN3std2io5stdio6Stdout4lock17h18aba970684159e7E(ptr %stream) {
  ret ptr %stream
}

; Threads begin here: no region, whatever is called.
define void @_ZN3std2rt19lang_start_internal17h18aba970684159e7E(ptr %main) {
  store i64 0, ptr @_ZN3std9panicking11panic_count17LOCAL_PANIC_COUNT17h18aba970684159e7E
  call void %main()
  ret void
}

; Backtraces.
define void @_ZN5gimli4read5parse17h18aba970684159e7E() {
  ret void
}

declare ptr @llvm.threadlocal.address.p0(ptr)

;= @_ZN3std2io5stdio6STDOUT17h18aba970684159e7E = internal global i32 0
;= @_ZN3std9panicking11panic_count17LOCAL_PANIC_COUNT17h18aba970684159e7E = internal thread_local global i64 0
;= @table = internal constant [2 x i8] c"ab"
;=
;= define void @_ZN3std2io5stdio6_print17h18aba970684159e7E(ptr %arguments) #0 {
;=   %1 = call i32 @concord_guard_save()
;=   call void @concord_guard_enter()
;=   %taken = cmpxchg ptr @_ZN3std2io5stdio6STDOUT17h18aba970684159e7E, i32 0, i32 1 acquire monotonic, align 4
;=   call void @_ZN4core3fmt5write17h18aba970684159e7E(ptr %arguments) #0
;=   store atomic i32 0, ptr @_ZN3std2io5stdio6STDOUT17h18aba970684159e7E release, align 4
;=   call void @concord_guard_restore(i32 %1)
;=   ret void
;= }
;=
;= define void @_ZN4core3fmt5write17h18aba970684159e7E(ptr %arguments) #1 {
;=   br label %next
;=
;= next:
;=   %index = phi i64 [ 0, %0 ], [ %after, %next ]
;=   %after = add i64 %index, 1
;=   %place = getelementptr i8, ptr @table, i64 %index
;=   %byte = load volatile i8, ptr %place, align 1
;=   %more = icmp ult i64 %after, 2
;=   br i1 %more, label %next, label %done
;=
;= done:
;=   ret void
;= }
;=
;= define void @"_ZN5alloc4sync16Arc$LT$T$C$A$GT$9drop_slow17h18aba970684159e7E"(ptr %count) #1 {
;=   %old = atomicrmw sub ptr %count, i64 1 release, align 8
;=   ret void
;= }
;=
;= define void @_ZN4core3ptr13drop_in_place17h18aba970684159e7E(ptr %lock) #0 {
;=   %old = atomicrmw xchg ptr %lock, i32 0 release, align 4
;=   ret void
;= }
;=
;= define i64 @_ZN4core4cell5count17h18aba970684159e7E() #0 {
;=   %place = call ptr @llvm.threadlocal.address.p0(ptr @_ZN3std9panicking11panic_count17LOCAL_PANIC_COUNT17h18aba970684159e7E)
;=   %count = load i64, ptr %place, align 4
;=   ret i64 %count
;= }
;=
;= define void @_ZN3std2io5stdio5flush17h18aba970684159e7E(ptr %stream) #0 {
;=   %1 = call i32 @concord_guard_save()
;=   call void @concord_guard_enter()
;=   %guard = call ptr @_ZN3std2io5stdio6Stdout4lock17h18aba970684159e7E(ptr %stream)
;=   call void @concord_guard_restore(i32 %1)
;=   ret void
;= }
;=
;= define ptr @_ZN3std2io5stdio6Stdout4lock17h18aba970684159e7E(ptr %stream) {
;=   call void @concord_guard_enter()
;=   ret ptr %stream
;= }
;=
;= define void @_ZN3std2rt19lang_start_internal17h18aba970684159e7E(ptr %main) #0 {
;=   store i64 0, ptr @_ZN3std9panicking11panic_count17LOCAL_PANIC_COUNT17h18aba970684159e7E, align 4
;=   call void %main()
;=   ret void
;= }
;=
;= define void @_ZN5gimli4read5parse17h18aba970684159e7E() {
;=   ret void
;= }
;=
;= attributes #0 = { noinline }
;= attributes #1 = { "concord-probed" }
