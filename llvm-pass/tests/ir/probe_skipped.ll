;@ stage: probe
; A function without the attribute stays as it is, whatever it does. Code calling it cannot know how long it
; takes.

define void @_ZN3std3sys4wait17h0a3b1c2d4e5f6071E(ptr %flag) {
entry:
  br label %spin
spin:
  %value = load volatile i32, ptr %flag
  %set = icmp ne i32 %value, 0
  br i1 %set, label %exit, label %spin
exit:
  ret void
}

define void @_ZN4mine4main17h0a3b1c2d4e5f6071E(ptr %flag) #0 {
  call void @_ZN3std3sys4wait17h0a3b1c2d4e5f6071E(ptr %flag)
  ret void
}

attributes #0 = { "concord-probed" }

;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define void @_ZN3std3sys4wait17h0a3b1c2d4e5f6071E(ptr %flag) {
;= entry:
;=   br label %spin
;=
;= spin:
;=   %value = load volatile i32, ptr %flag, align 4
;=   %set = icmp ne i32 %value, 0
;=   br i1 %set, label %exit, label %spin
;=
;= exit:
;=   ret void
;= }
;=
;= define void @_ZN4mine4main17h0a3b1c2d4e5f6071E(ptr %flag) #0 {
;=   call void @_ZN3std3sys4wait17h0a3b1c2d4e5f6071E(ptr %flag)
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %1, label %concord_probe.exit, !prof !0
;=
;= 1:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   ret void
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
