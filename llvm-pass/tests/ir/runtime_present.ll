;@ stage: probe
; The runtime defines the words and slow paths in assembly; the module declares them, hidden.

module asm ".globl concord_line"

define void @spin(ptr %flag) #0 {
entry:
  br label %loop
loop:
  %value = load volatile i32, ptr %flag
  %set = icmp ne i32 %value, 0
  br i1 %set, label %exit, label %loop
exit:
  ret void
}

attributes #0 = { "concord-probed" }

;= module asm ".globl concord_line"
;=
;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define void @spin(ptr %flag) #0 {
;= entry:
;=   br label %loop
;=
;= loop:
;=   %value = load volatile i32, ptr %flag, align 4
;=   %set = icmp ne i32 %value, 0
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %0, label %concord_probe.exit, !prof !0
;=
;= 0:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   br i1 %set, label %exit, label %loop
;=
;= exit:
;=   ret void
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
