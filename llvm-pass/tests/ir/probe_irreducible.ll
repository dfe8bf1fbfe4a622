;@ stage: probe
; A cycle that is entered in two places, as `goto` makes it: it has no header, and one probe on the cycle.

define void @_ZN4tidy5tokenEPKc(ptr %at, i1 %inside) #0 {
entry:
  br i1 %inside, label %second, label %first
first:
  %byte = load volatile i8, ptr %at
  br label %second
second:
  %other = load volatile i8, ptr %at
  %done = icmp eq i8 %other, 0
  br i1 %done, label %exit, label %first
exit:
  ret void
}

attributes #0 = { "concord-probed" }

;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define void @_ZN4tidy5tokenEPKc(ptr %at, i1 %inside) #0 {
;= entry:
;=   br i1 %inside, label %second, label %first
;=
;= first:
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %0, label %concord_probe.exit, !prof !0
;=
;= 0:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   %byte = load volatile i8, ptr %at, align 1
;=   br label %second
;=
;= second:
;=   %other = load volatile i8, ptr %at, align 1
;=   %done = icmp eq i8 %other, 0
;=   br i1 %done, label %exit, label %first
;=
;= exit:
;=   ret void
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
