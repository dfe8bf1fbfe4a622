;@ stage: lend
; What a unit lends to others: small leaves, with the constants that they read. Not lent: what takes a lock, what reads a
; static of its own, what must not be inlined, what calls others, what belongs to the runtime or to C.

@public = global i32 7
@own = internal global i32 0
@text = private unnamed_addr constant [2 x i8] c"ab"
@compared = internal constant [2 x i8] c"ab"
@llvm.used = appending global [1 x ptr] [ptr @own], section "llvm.metadata"

declare void @concord_guard_enter()
declare void @out()
declare void @panic(ptr) noreturn

; spans::length, with the marks of its own unit
define i32 @_ZN5spans6length17h0000000000000001E(ptr %span) #0 {
  %length = load i32, ptr %span
  ret i32 %length
}

; spans::public: the variable stays where it is
define i32 @_ZN5spans6public17h0000000000000001E() {
  %value = load i32, ptr @public
  ret i32 %value
}

; spans::at: a panic is no call, the text comes along
define i8 @_ZN5spans2at17h0000000000000001E(i64 %at) {
  %inside = icmp ult i64 %at, 2
  br i1 %inside, label %good, label %bad
good:
  %place = getelementptr inbounds i8, ptr @text, i64 %at
  %byte = load i8, ptr %place
  ret i8 %byte
bad:
  call void @panic(ptr @text)
  unreachable
}

; spans::count
define void @_ZN5spans5count17h0000000000000001E() {
  store i32 1, ptr @own
  ret void
}

; spans::which: two constants of one value may be told apart
define ptr @_ZN5spans5which17h0000000000000001E() {
  ret ptr @compared
}

; spans::taken
define void @_ZN5spans5taken17h0000000000000001E() {
  call void @concord_guard_enter()
  ret void
}

; spans::apart
define void @_ZN5spans5apart17h0000000000000001E() noinline {
  ret void
}

; spans::call
define void @_ZN5spans4call17h0000000000000001E() {
  call void @out()
  ret void
}

; spans::other: as `call`, for the function is defined here
define ptr @_ZN5spans5other17h0000000000000001E() {
  ret ptr @_ZN5spans4call17h0000000000000001E
}

; concord::turn
define void @_ZN7concord4turn17h0000000000000001E() {
  ret void
}

define i32 @of_c() {
  ret i32 1
}

; spans::hidden
define internal void @_ZN5spans6hidden17h0000000000000001E() {
  ret void
}

attributes #0 = { "concord-probed" }

;= @public = external global i32
;= @text = private unnamed_addr constant [2 x i8] c"ab"
;=
;= define available_externally i32 @_ZN5spans6length17h0000000000000001E(ptr %span) #1 {
;=   %length = load i32, ptr %span, align 4
;=   ret i32 %length
;= }
;=
;= define available_externally i32 @_ZN5spans6public17h0000000000000001E() {
;=   %value = load i32, ptr @public, align 4
;=   ret i32 %value
;= }
;=
;= define available_externally i8 @_ZN5spans2at17h0000000000000001E(i64 %at) {
;=   %inside = icmp ult i64 %at, 2
;=   br i1 %inside, label %good, label %bad
;=
;= good:
;=   %place = getelementptr inbounds i8, ptr @text, i64 %at
;=   %byte = load i8, ptr %place, align 1
;=   ret i8 %byte
;=
;= bad:
;=   call void @panic(ptr @text)
;=   unreachable
;= }
;=
;= attributes #1 = { "concord-probed" }
