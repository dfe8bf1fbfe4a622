;@ stage: probe
; Two loops, one in the other: each has its probe.

define void @_ZN4mine6matrix17h0a3b1c2d4e5f6071E(ptr %cells, i64 %rows, i64 %columns) #0 {
entry:
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %i.next, %row.end ]
  br label %column
column:
  %j = phi i64 [ 0, %row ], [ %j.next, %column ]
  %at = mul i64 %i, %j
  %cell = getelementptr i32, ptr %cells, i64 %at
  store i32 0, ptr %cell
  %j.next = add i64 %j, 1
  %row.done = icmp eq i64 %j.next, %columns
  br i1 %row.done, label %row.end, label %column
row.end:
  %i.next = add i64 %i, 1
  %done = icmp eq i64 %i.next, %rows
  br i1 %done, label %exit, label %row
exit:
  ret void
}

attributes #0 = { "concord-probed" }

;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define void @_ZN4mine6matrix17h0a3b1c2d4e5f6071E(ptr %cells, i64 %rows, i64 %columns) #0 {
;= entry:
;=   br label %row
;=
;= row:
;=   %i = phi i64 [ 0, %entry ], [ %i.next, %concord_probe.exit ]
;=   br label %column
;=
;= column:
;=   %j = phi i64 [ 0, %row ], [ %j.next, %concord_probe.exit3 ]
;=   %at = mul i64 %i, %j
;=   %cell = getelementptr i32, ptr %cells, i64 %at
;=   store i32 0, ptr %cell, align 4
;=   %j.next = add i64 %j, 1
;=   %row.done = icmp eq i64 %j.next, %columns
;=   %line.i1 = load volatile i32, ptr @concord_line, align 4
;=   %armed.i2 = icmp ne i32 %line.i1, 0
;=   br i1 %armed.i2, label %0, label %concord_probe.exit3, !prof !0
;=
;= 0:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit3
;=
;= concord_probe.exit3:
;=   br i1 %row.done, label %row.end, label %column
;=
;= row.end:
;=   %i.next = add i64 %i, 1
;=   %done = icmp eq i64 %i.next, %rows
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %1, label %concord_probe.exit, !prof !0
;=
;= 1:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   br i1 %done, label %exit, label %row
;=
;= exit:
;=   ret void
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
