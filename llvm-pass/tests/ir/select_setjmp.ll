;@ stage: select

; A function that calls setjmp is left alone; one that calls it is not, and neither is inlined into the other.

declare i32 @_setjmp(ptr) #0

define i32 @sets(ptr %buffer) {
  %value = call i32 @_setjmp(ptr %buffer) #0
  call void @works()
  ret i32 %value
}

define void @works() {
  br label %loop
loop:
  br label %loop
}

define i32 @calls(ptr %buffer) {
  %value = call i32 @sets(ptr %buffer)
  ret i32 %value
}

attributes #0 = { returns_twice }

;= define i32 @sets(ptr %buffer) {
;=   %value = call i32 @_setjmp(ptr %buffer) #2
;=   call void @works() #3
;=   ret i32 %value
;= }
;=
;= define void @works() #1 {
;=   br label %loop
;=
;= loop:
;=   br label %loop
;= }
;=
;= define i32 @calls(ptr %buffer) #1 {
;=   %value = call i32 @sets(ptr %buffer)
;=   ret i32 %value
;= }
;=
;= attributes #1 = { "concord-probed" }
;= attributes #2 = { noinline returns_twice }
;= attributes #3 = { noinline }
