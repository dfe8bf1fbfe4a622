;@ stage: probe
; A loop that is closed by unwinding: the block that catches is its header, and no call in it ever returns.

declare i32 @attempt(ptr)
declare i32 @__gxx_personality_v0(...)

define i32 @_ZN4mine5retryEv(ptr %state) #0 personality ptr @__gxx_personality_v0 {
entry:
  %first = invoke i32 @attempt(ptr %state) to label %exit unwind label %caught
caught:
  %exception = landingpad { ptr, i32 } catch ptr null
  %again = invoke i32 @attempt(ptr %state) to label %exit unwind label %caught
exit:
  %result = phi i32 [ %first, %entry ], [ %again, %caught ]
  ret i32 %result
}

attributes #0 = { "concord-probed" }

;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define i32 @_ZN4mine5retryEv(ptr %state) #0 personality ptr @__gxx_personality_v0 {
;= entry:
;=   %first = invoke i32 @attempt(ptr %state)
;=           to label %0 unwind label %caught.preheader
;=
;= 0:
;=   %line.i4 = load volatile i32, ptr @concord_line, align 4
;=   %armed.i5 = icmp ne i32 %line.i4, 0
;=   br i1 %armed.i5, label %1, label %concord_probe.exit6, !prof !0
;=
;= 1:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit6
;=
;= concord_probe.exit6:
;=   br label %exit
;=
;= caught.preheader:
;=   %lpad.preheader = landingpad { ptr, i32 }
;=           catch ptr null
;=   br label %caught
;=
;= caught.preheader.split-lp:
;=   %lpad.preheader.split-lp = landingpad { ptr, i32 }
;=           catch ptr null
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %2, label %concord_probe.exit, !prof !0
;=
;= 2:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   br label %caught
;=
;= caught:
;=   %again = invoke i32 @attempt(ptr %state)
;=           to label %3 unwind label %caught.preheader.split-lp
;=
;= 3:
;=   %line.i1 = load volatile i32, ptr @concord_line, align 4
;=   %armed.i2 = icmp ne i32 %line.i1, 0
;=   br i1 %armed.i2, label %4, label %concord_probe.exit3, !prof !0
;=
;= 4:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit3
;=
;= concord_probe.exit3:
;=   br label %exit.loopexit
;=
;= exit.loopexit:
;=   %5 = phi i32 [ %again, %concord_probe.exit3 ]
;=   br label %exit
;=
;= exit:
;=   %6 = phi i32 [ %first, %concord_probe.exit6 ], [ %5, %exit.loopexit ]
;=   ret i32 %6
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
