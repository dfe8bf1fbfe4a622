;@ stage: select
; Loop-free functions of the standard library may be inlined into the runtime, and get no probes when it calls them;
; those that come to a user's function stay calls, and so do loops.

define void @_ZN7concord6worker3run17h0a3b1c2d4e5f6071E(ptr %word) {
  %value = call i32 @_ZN4core4sync6atomic9AtomicU324load17h0a3b1c2d4e5f6071E(ptr %word)
  call void @_ZN4core3ops8function6FnOnce9call_once17h0a3b1c2d4e5f6071E(ptr %word)
  call void @_ZN4core5slice4sort8unstable17h0a3b1c2d4e5f6071E(ptr %word)
  ret void
}

define i32 @_ZN4core4sync6atomic9AtomicU324load17h0a3b1c2d4e5f6071E(ptr %word) {
  %value = call i32 @_ZN4core4sync6atomic11atomic_load17h0a3b1c2d4e5f6071E(ptr %word)
  ret i32 %value
}

define i32 @_ZN4core4sync6atomic11atomic_load17h0a3b1c2d4e5f6071E(ptr %word) {
  %value = load atomic i32, ptr %word monotonic, align 4
  ret i32 %value
}

define void @_ZN4core3ops8function6FnOnce9call_once17h0a3b1c2d4e5f6071E(ptr %word) {
  call void @_ZN4mine6handle17h0a3b1c2d4e5f6071E(ptr %word)
  ret void
}

define void @_ZN4mine6handle17h0a3b1c2d4e5f6071E(ptr %word) {
  %other = call i32 @_ZN4core6option6Option3map17h0a3b1c2d4e5f6071E(ptr %word)
  ret void
}

define i32 @_ZN4core6option6Option3map17h0a3b1c2d4e5f6071E(ptr %word) {
  ret i32 0
}

define void @_ZN4core5slice4sort8unstable17h0a3b1c2d4e5f6071E(ptr %word) {
entry:
  br label %loop
loop:
  %value = load volatile i1, ptr %word
  br i1 %value, label %loop, label %exit
exit:
  ret void
}

;= define void @_ZN7concord6worker3run17h0a3b1c2d4e5f6071E(ptr %word) {
;=   %value = call i32 @_ZN4core4sync6atomic9AtomicU324load17h0a3b1c2d4e5f6071E(ptr %word)
;=   call void @_ZN4core3ops8function6FnOnce9call_once17h0a3b1c2d4e5f6071E(ptr %word) #1
;=   call void @_ZN4core5slice4sort8unstable17h0a3b1c2d4e5f6071E(ptr %word) #1
;=   ret void
;= }
;=
;= define i32 @_ZN4core4sync6atomic9AtomicU324load17h0a3b1c2d4e5f6071E(ptr %word) {
;=   %value = call i32 @_ZN4core4sync6atomic11atomic_load17h0a3b1c2d4e5f6071E(ptr %word)
;=   ret i32 %value
;= }
;=
;= define i32 @_ZN4core4sync6atomic11atomic_load17h0a3b1c2d4e5f6071E(ptr %word) {
;=   %value = load atomic i32, ptr %word monotonic, align 4
;=   ret i32 %value
;= }
;=
;= define void @_ZN4core3ops8function6FnOnce9call_once17h0a3b1c2d4e5f6071E(ptr %word) #0 {
;=   call void @_ZN4mine6handle17h0a3b1c2d4e5f6071E(ptr %word)
;=   ret void
;= }
;=
;= define void @_ZN4mine6handle17h0a3b1c2d4e5f6071E(ptr %word) #0 {
;=   %other = call i32 @_ZN4core6option6Option3map17h0a3b1c2d4e5f6071E(ptr %word)
;=   ret void
;= }
;=
;= define i32 @_ZN4core6option6Option3map17h0a3b1c2d4e5f6071E(ptr %word) #0 {
;=   ret i32 0
;= }
;=
;= define void @_ZN4core5slice4sort8unstable17h0a3b1c2d4e5f6071E(ptr %word) #0 {
;= entry:
;=   br label %loop
;=
;= loop:
;=   %value = load volatile i1, ptr %word, align 1
;=   br i1 %value, label %loop, label %exit
;=
;= exit:
;=   ret void
;= }
;=
;= attributes #0 = { "concord-probed" }
;= attributes #1 = { noinline }
