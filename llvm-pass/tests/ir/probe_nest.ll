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
;=   %0 = sub i64 %rows, 1
;=   %1 = call i64 @llvm.umin.i64(i64 %0, i64 1)
;=   %2 = add i64 1, %1
;=   %3 = sub i64 %columns, 1
;=   %4 = call i64 @llvm.umin.i64(i64 %3, i64 82)
;=   %5 = add i64 1, %4
;=   br label %outer
;=
;= outer:
;=   %near = phi i64 [ %2, %entry ], [ %18, %concord_probe.exit7 ]
;=   %i.outer = phi i64 [ 0, %entry ], [ %i.next, %concord_probe.exit7 ]
;=   br label %row
;=
;= row:
;=   %i = phi i64 [ %i.outer, %outer ], [ %i.next, %row.end ]
;=   br label %outer1
;=
;= outer1:
;=   %near4 = phi i64 [ %5, %row ], [ %11, %concord_probe.exit ]
;=   %j.outer = phi i64 [ 0, %row ], [ %j.next, %concord_probe.exit ]
;=   br label %column
;=
;= column:
;=   %j = phi i64 [ %j.outer, %outer1 ], [ %j.next, %column ]
;=   %at = mul i64 %i, %j
;=   %cell = getelementptr i32, ptr %cells, i64 %at
;=   store i32 0, ptr %cell, align 4
;=   %j.next = add i64 %j, 1
;=   %6 = icmp eq i64 %j.next, %near4
;=   br i1 %6, label %test2, label %column, !concord.bound !0
;=
;= test2:
;=   %7 = icmp eq i64 %j.next, %columns
;=   br i1 %7, label %row.end, label %chunk3, !prof !1
;=
;= chunk3:
;=   %8 = add i64 %j.next, 1
;=   %9 = sub i64 %columns, %8
;=   %10 = call i64 @llvm.umin.i64(i64 %9, i64 249)
;=   %11 = add i64 %8, %10
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %12, label %concord_probe.exit, !prof !2
;=
;= 12:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   br label %outer1
;=
;= row.end:
;=   %i.next = add i64 %i, 1
;=   %13 = icmp eq i64 %i.next, %near
;=   br i1 %13, label %test, label %row, !concord.bound !3
;=
;= test:
;=   %14 = icmp eq i64 %i.next, %rows
;=   br i1 %14, label %exit, label %chunk, !prof !1
;=
;= chunk:
;=   %15 = add i64 %i.next, 1
;=   %16 = sub i64 %rows, %15
;=   %17 = call i64 @llvm.umin.i64(i64 %16, i64 1)
;=   %18 = add i64 %15, %17
;=   %line.i5 = load volatile i32, ptr @concord_line, align 4
;=   %armed.i6 = icmp ne i32 %line.i5, 0
;=   br i1 %armed.i6, label %19, label %concord_probe.exit7, !prof !2
;=
;= 19:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit7
;=
;= concord_probe.exit7:
;=   br label %outer
;=
;= exit:
;=   ret void
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{i32 250, i32 83}
;= !1 = !{!"branch_weights", i32 1048576, i32 1}
;= !2 = !{!"branch_weights", i32 1, i32 1048576}
;= !3 = !{i32 2}
