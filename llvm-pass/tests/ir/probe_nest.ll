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
;=   %0 = sub i64 %columns, 1
;=   %1 = call i64 @llvm.umin.i64(i64 %0, i64 249)
;=   %2 = add i64 1, %1
;=   br label %row
;=
;= row:
;=   %i = phi i64 [ 0, %entry ], [ %i.next, %concord_probe.exit ]
;=   br label %outer
;=
;= outer:
;=   %near = phi i64 [ %2, %row ], [ %8, %concord_probe.exit3 ]
;=   %j.outer = phi i64 [ 0, %row ], [ %j.next, %concord_probe.exit3 ]
;=   br label %column
;=
;= column:
;=   %j = phi i64 [ %j.outer, %outer ], [ %j.next, %column ]
;=   %at = mul i64 %i, %j
;=   %cell = getelementptr i32, ptr %cells, i64 %at
;=   store i32 0, ptr %cell, align 4
;=   %j.next = add i64 %j, 1
;=   %3 = icmp eq i64 %j.next, %near
;=   br i1 %3, label %test, label %column, !concord.bound !0
;=
;= test:
;=   %4 = icmp eq i64 %j.next, %columns
;=   br i1 %4, label %row.end, label %chunk, !prof !1
;=
;= chunk:
;=   %5 = add i64 %j.next, 1
;=   %6 = sub i64 %columns, %5
;=   %7 = call i64 @llvm.umin.i64(i64 %6, i64 249)
;=   %8 = add i64 %5, %7
;=   %line.i1 = load volatile i32, ptr @concord_line, align 4
;=   %armed.i2 = icmp ne i32 %line.i1, 0
;=   br i1 %armed.i2, label %9, label %concord_probe.exit3, !prof !2
;=
;= 9:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit3
;=
;= concord_probe.exit3:
;=   br label %outer
;=
;= row.end:
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %10, label %concord_probe.exit, !prof !2
;=
;= 10:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   %i.next = add i64 %i, 1
;=   %done = icmp eq i64 %i.next, %rows
;=   br i1 %done, label %exit, label %row
;=
;= exit:
;=   ret void
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{i32 250}
;= !1 = !{!"branch_weights", i32 1048576, i32 1}
;= !2 = !{!"branch_weights", i32 1, i32 1048576}
