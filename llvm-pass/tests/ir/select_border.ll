;@ stage: select
;@ exclude: slow
; Who gets probes is decided by the symbol's crate. Across the border two kinds of calls stay calls: one with a loop
; without probes into a function with them, and an instrumented function into such a loop. C has no crates. A
; naked function is assembly.

define void @_ZN4mine4main17h0a3b1c2d4e5f6071E() {
  call void @_ZN4slow3run17h0a3b1c2d4e5f6071E()
  ret void
}

define void @_ZN4slow3run17h0a3b1c2d4e5f6071E() {
entry:
  br label %loop
loop:
  call void @_RNvCs30x0kSY1adC_4mine6helper()
  %done = call i1 @_ZN4slow4done17h0a3b1c2d4e5f6071E()
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

define i1 @_ZN4slow4done17h0a3b1c2d4e5f6071E() {
  ret i1 true
}

define void @_RNvCs30x0kSY1adC_4mine6helper() {
  ret void
}

define void @"_ZN70_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17hc8a851aa4be5f8a4E"() {
  ret void
}

define void @_ZN3std9panicking12catch_unwind7do_call17h4454f0b57acd8702E() {
  ret void
}

define void @_RNvCsfLfy6EI15iL_7___rustc12___rust_alloc() {
  ret void
}

define void @leveldb_get() {
  ret void
}

define void @switch_stacks() naked {
  call void asm sideeffect "ret", ""()
  unreachable
}

;= define void @_ZN4mine4main17h0a3b1c2d4e5f6071E() #0 {
;=   call void @_ZN4slow3run17h0a3b1c2d4e5f6071E()
;=   ret void
;= }
;=
;= define void @_ZN4slow3run17h0a3b1c2d4e5f6071E() #1 {
;= entry:
;=   br label %loop
;=
;= loop:
;=   call void @_RNvCs30x0kSY1adC_4mine6helper() #1
;=   %done = call i1 @_ZN4slow4done17h0a3b1c2d4e5f6071E()
;=   br i1 %done, label %exit, label %loop
;=
;= exit:
;=   ret void
;= }
;=
;= define i1 @_ZN4slow4done17h0a3b1c2d4e5f6071E() {
;=   ret i1 true
;= }
;=
;= define void @_RNvCs30x0kSY1adC_4mine6helper() #0 {
;=   ret void
;= }
;=
;= define void @"_ZN70_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17hc8a851aa4be5f8a4E"() #0 {
;=   ret void
;= }
;=
;= define void @_ZN3std9panicking12catch_unwind7do_call17h4454f0b57acd8702E() {
;=   ret void
;= }
;=
;= define void @_RNvCsfLfy6EI15iL_7___rustc12___rust_alloc() {
;=   ret void
;= }
;=
;= define void @leveldb_get() #0 {
;=   ret void
;= }
;=
;= define void @switch_stacks() #2 {
;=   call void asm sideeffect "ret", ""()
;=   unreachable
;= }
;=
;= attributes #0 = { "concord-probed" }
;= attributes #1 = { noinline }
;= attributes #2 = { naked }
