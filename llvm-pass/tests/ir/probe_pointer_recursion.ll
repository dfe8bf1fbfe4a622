;@ stage: probe
; Two functions that call each other through pointers. Whoever has a matching type and an address that is
; taken may be the target; `plain` has the type, but nobody has its address.

@VTABLE = constant [2 x ptr] [ptr @_ZN4mine4even17h0a3b1c2d4e5f6071E, ptr @_ZN4mine3odd17h0a3b1c2d4e5f6071E]

define i1 @_ZN4mine4even17h0a3b1c2d4e5f6071E(i64 %n, ptr %table) #0 {
  %slot = getelementptr ptr, ptr %table, i64 1
  %odd = load ptr, ptr %slot
  %less = sub i64 %n, 1
  %result = call i1 %odd(i64 %less, ptr %table)
  ret i1 %result
}

define i1 @_ZN4mine3odd17h0a3b1c2d4e5f6071E(i64 %n, ptr %table) #0 {
  %even = load ptr, ptr %table
  %less = sub i64 %n, 1
  %result = call i1 %even(i64 %less, ptr %table)
  ret i1 %result
}

define i1 @_ZN4mine5plain17h0a3b1c2d4e5f6071E(i64 %n, ptr %table) #0 {
  ret i1 true
}

attributes #0 = { "concord-probed" }

;= @VTABLE = constant [2 x ptr] [ptr @_ZN4mine4even17h0a3b1c2d4e5f6071E, ptr @_ZN4mine3odd17h0a3b1c2d4e5f6071E]
;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define i1 @_ZN4mine4even17h0a3b1c2d4e5f6071E(i64 %n, ptr %table) #0 {
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %1, label %concord_probe.exit, !prof !0
;=
;= 1:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   %slot = getelementptr ptr, ptr %table, i64 1
;=   %odd = load ptr, ptr %slot, align 8
;=   %less = sub i64 %n, 1
;=   %result = call i1 %odd(i64 %less, ptr %table)
;=   ret i1 %result
;= }
;=
;= define i1 @_ZN4mine3odd17h0a3b1c2d4e5f6071E(i64 %n, ptr %table) #0 {
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %1, label %concord_probe.exit, !prof !0
;=
;= 1:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   %even = load ptr, ptr %table, align 8
;=   %less = sub i64 %n, 1
;=   %result = call i1 %even(i64 %less, ptr %table)
;=   ret i1 %result
;= }
;=
;= define i1 @_ZN4mine5plain17h0a3b1c2d4e5f6071E(i64 %n, ptr %table) #0 {
;=   ret i1 true
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
