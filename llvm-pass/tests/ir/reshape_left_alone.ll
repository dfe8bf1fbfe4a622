;@ stage: reshape
;@ level: 3
; Functions that must not stand in themselves.

declare i32 @_setjmp(ptr) #2
declare ptr @llvm.returnaddress(i32)
declare void @use(ptr)

; Without probes.
define i64 @native(i64 %n) {
  %less = sub i64 %n, 1
  %result = call i64 @native(i64 %less)
  ret i64 %result
}

define i64 @small_code(i64 %n) #1 {
  %less = sub i64 %n, 1
  %result = call i64 @small_code(i64 %less)
  ret i64 %result
}

define weak i64 @replaceable(i64 %n) #0 {
  %less = sub i64 %n, 1
  %result = call i64 @replaceable(i64 %less)
  ret i64 %result
}

define i64 @tail(i64 %n) #0 {
  %less = sub i64 %n, 1
  %result = musttail call i64 @tail(i64 %less)
  ret i64 %result
}

define i64 @variadic(i64 %n, ...) #0 {
  %less = sub i64 %n, 1
  %result = call i64 (i64, ...) @variadic(i64 %less)
  ret i64 %result
}

define i64 @jumps(i64 %n, ptr %buffer) #0 {
  %set = call i32 @_setjmp(ptr %buffer) #2
  %less = sub i64 %n, 1
  %result = call i64 @jumps(i64 %less, ptr %buffer)
  ret i64 %result
}

define i64 @computed_goto(i64 %n, ptr %to) #0 {
  indirectbr ptr %to, [label %again]
again:
  %less = sub i64 %n, 1
  %result = call i64 @computed_goto(i64 %less, ptr blockaddress(@computed_goto, %again))
  ret i64 %result
}

define i64 @whole(ptr byval([4 x i64]) %value) #0 {
  %result = call i64 @whole(ptr byval([4 x i64]) %value)
  ret i64 %result
}

define i64 @frame(i64 %n) #0 {
  %from = call ptr @llvm.returnaddress(i32 0)
  call void @use(ptr %from)
  %result = call i64 @frame(i64 %n)
  ret i64 %result
}

define i64 @many_locals(i64 %n) #0 {
  %local = alloca [9 x i64]
  call void @use(ptr %local)
  %result = call i64 @many_locals(i64 %n)
  ret i64 %result
}

define i64 @dynamic_locals(i64 %n) #0 {
  %local = alloca i64, i64 %n
  call void @use(ptr %local)
  %result = call i64 @dynamic_locals(i64 %n)
  ret i64 %result
}

define i64 @labels(i64 %n) #0 {
  call void asm sideeffect "here: nop", ""()
  %result = call i64 @labels(i64 %n)
  ret i64 %result
}

attributes #0 = { "concord-probed" }
attributes #1 = { optsize "concord-probed" }
attributes #2 = { returns_twice }

;= define i64 @native(i64 %n) {
;=   %less = sub i64 %n, 1
;=   %result = call i64 @native(i64 %less)
;=   ret i64 %result
;= }
;=
;= define i64 @small_code(i64 %n) #2 {
;=   %less = sub i64 %n, 1
;=   %result = call i64 @small_code(i64 %less)
;=   ret i64 %result
;= }
;=
;= define weak i64 @replaceable(i64 %n) #3 {
;=   %less = sub i64 %n, 1
;=   %result = call i64 @replaceable(i64 %less)
;=   ret i64 %result
;= }
;=
;= define i64 @tail(i64 %n) #3 {
;=   %less = sub i64 %n, 1
;=   %result = musttail call i64 @tail(i64 %less)
;=   ret i64 %result
;= }
;=
;= define i64 @variadic(i64 %n, ...) #3 {
;=   %less = sub i64 %n, 1
;=   %result = call i64 (i64, ...) @variadic(i64 %less)
;=   ret i64 %result
;= }
;=
;= define i64 @jumps(i64 %n, ptr %buffer) #3 {
;=   %set = call i32 @_setjmp(ptr %buffer) #0
;=   %less = sub i64 %n, 1
;=   %result = call i64 @jumps(i64 %less, ptr %buffer)
;=   ret i64 %result
;= }
;=
;= define i64 @computed_goto(i64 %n, ptr %to) #3 {
;=   indirectbr ptr %to, [label %again]
;=
;= again:
;=   %less = sub i64 %n, 1
;=   %result = call i64 @computed_goto(i64 %less, ptr blockaddress(@computed_goto, %again))
;=   ret i64 %result
;= }
;=
;= define i64 @whole(ptr byval([4 x i64]) %value) #3 {
;=   %result = call i64 @whole(ptr byval([4 x i64]) %value)
;=   ret i64 %result
;= }
;=
;= define i64 @frame(i64 %n) #3 {
;=   %from = call ptr @llvm.returnaddress(i32 0)
;=   call void @use(ptr %from)
;=   %result = call i64 @frame(i64 %n)
;=   ret i64 %result
;= }
;=
;= define i64 @many_locals(i64 %n) #3 {
;=   %local = alloca [9 x i64], align 8
;=   call void @use(ptr %local)
;=   %result = call i64 @many_locals(i64 %n)
;=   ret i64 %result
;= }
;=
;= define i64 @dynamic_locals(i64 %n) #3 {
;=   %local = alloca i64, i64 %n, align 8
;=   call void @use(ptr %local)
;=   %result = call i64 @dynamic_locals(i64 %n)
;=   ret i64 %result
;= }
;=
;= define i64 @labels(i64 %n) #3 {
;=   call void asm sideeffect "here: nop", ""()
;=   %result = call i64 @labels(i64 %n)
;=   ret i64 %result
;= }
;=
;= attributes #0 = { returns_twice }
;= attributes #2 = { optsize "concord-probed" }
;= attributes #3 = { "concord-probed" }
