;@ stage: probe
; A `while` loop with `continue`: both ways back have a probe.

define i64 @_ZN4mine5while17h0a3b1c2d4e5f6071E(i64 %start) #0 {
entry:
  br label %head
head:
  %value = phi i64 [ %start, %entry ], [ %half, %even ], [ %triple, %odd ]
  %done = icmp ult i64 %value, 2
  br i1 %done, label %exit, label %body
body:
  %bit = and i64 %value, 1
  %is.even = icmp eq i64 %bit, 0
  br i1 %is.even, label %even, label %odd
even:
  %half = lshr i64 %value, 1
  br label %head
odd:
  %three = mul i64 %value, 3
  %triple = add i64 %three, 1
  br label %head
exit:
  ret i64 %value
}

attributes #0 = { "concord-probed" }

;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define i64 @_ZN4mine5while17h0a3b1c2d4e5f6071E(i64 %start) #0 {
;= entry:
;=   br label %head
;=
;= head:
;=   %value = phi i64 [ %start, %entry ], [ %value.be.6, %concord_probe.exit ]
;=   %done = icmp ult i64 %value, 2
;=   br i1 %done, label %exit, label %body
;=
;= body:
;=   %bit = and i64 %value, 1
;=   %is.even = icmp eq i64 %bit, 0
;=   br i1 %is.even, label %even, label %odd
;=
;= even:
;=   %half = lshr i64 %value, 1
;=   br label %head.backedge
;=
;= head.backedge:
;=   %value.be = phi i64 [ %half, %even ], [ %triple, %odd ]
;=   %done.1 = icmp ult i64 %value.be, 2
;=   br i1 %done.1, label %exit, label %body.1
;=
;= body.1:
;=   %bit.1 = and i64 %value.be, 1
;=   %is.even.1 = icmp eq i64 %bit.1, 0
;=   br i1 %is.even.1, label %even.1, label %odd.1
;=
;= odd.1:
;=   %three.1 = mul i64 %value.be, 3
;=   %triple.1 = add i64 %three.1, 1
;=   br label %head.backedge.1
;=
;= even.1:
;=   %half.1 = lshr i64 %value.be, 1
;=   br label %head.backedge.1
;=
;= head.backedge.1:
;=   %value.be.1 = phi i64 [ %half.1, %even.1 ], [ %triple.1, %odd.1 ]
;=   %done.2 = icmp ult i64 %value.be.1, 2
;=   br i1 %done.2, label %exit, label %body.2
;=
;= body.2:
;=   %bit.2 = and i64 %value.be.1, 1
;=   %is.even.2 = icmp eq i64 %bit.2, 0
;=   br i1 %is.even.2, label %even.2, label %odd.2
;=
;= odd.2:
;=   %three.2 = mul i64 %value.be.1, 3
;=   %triple.2 = add i64 %three.2, 1
;=   br label %head.backedge.2
;=
;= even.2:
;=   %half.2 = lshr i64 %value.be.1, 1
;=   br label %head.backedge.2
;=
;= head.backedge.2:
;=   %value.be.2 = phi i64 [ %half.2, %even.2 ], [ %triple.2, %odd.2 ]
;=   %done.3 = icmp ult i64 %value.be.2, 2
;=   br i1 %done.3, label %exit, label %body.3
;=
;= body.3:
;=   %bit.3 = and i64 %value.be.2, 1
;=   %is.even.3 = icmp eq i64 %bit.3, 0
;=   br i1 %is.even.3, label %even.3, label %odd.3
;=
;= odd.3:
;=   %three.3 = mul i64 %value.be.2, 3
;=   %triple.3 = add i64 %three.3, 1
;=   br label %head.backedge.3
;=
;= even.3:
;=   %half.3 = lshr i64 %value.be.2, 1
;=   br label %head.backedge.3
;=
;= head.backedge.3:
;=   %value.be.3 = phi i64 [ %half.3, %even.3 ], [ %triple.3, %odd.3 ]
;=   %done.4 = icmp ult i64 %value.be.3, 2
;=   br i1 %done.4, label %exit, label %body.4
;=
;= body.4:
;=   %bit.4 = and i64 %value.be.3, 1
;=   %is.even.4 = icmp eq i64 %bit.4, 0
;=   br i1 %is.even.4, label %even.4, label %odd.4
;=
;= odd.4:
;=   %three.4 = mul i64 %value.be.3, 3
;=   %triple.4 = add i64 %three.4, 1
;=   br label %head.backedge.4
;=
;= even.4:
;=   %half.4 = lshr i64 %value.be.3, 1
;=   br label %head.backedge.4
;=
;= head.backedge.4:
;=   %value.be.4 = phi i64 [ %half.4, %even.4 ], [ %triple.4, %odd.4 ]
;=   %done.5 = icmp ult i64 %value.be.4, 2
;=   br i1 %done.5, label %exit, label %body.5
;=
;= body.5:
;=   %bit.5 = and i64 %value.be.4, 1
;=   %is.even.5 = icmp eq i64 %bit.5, 0
;=   br i1 %is.even.5, label %even.5, label %odd.5
;=
;= odd.5:
;=   %three.5 = mul i64 %value.be.4, 3
;=   %triple.5 = add i64 %three.5, 1
;=   br label %head.backedge.5
;=
;= even.5:
;=   %half.5 = lshr i64 %value.be.4, 1
;=   br label %head.backedge.5
;=
;= head.backedge.5:
;=   %value.be.5 = phi i64 [ %half.5, %even.5 ], [ %triple.5, %odd.5 ]
;=   %done.6 = icmp ult i64 %value.be.5, 2
;=   br i1 %done.6, label %exit, label %body.6
;=
;= body.6:
;=   %bit.6 = and i64 %value.be.5, 1
;=   %is.even.6 = icmp eq i64 %bit.6, 0
;=   br i1 %is.even.6, label %even.6, label %odd.6
;=
;= odd.6:
;=   %three.6 = mul i64 %value.be.5, 3
;=   %triple.6 = add i64 %three.6, 1
;=   br label %head.backedge.6
;=
;= even.6:
;=   %half.6 = lshr i64 %value.be.5, 1
;=   br label %head.backedge.6
;=
;= head.backedge.6:
;=   %value.be.6 = phi i64 [ %half.6, %even.6 ], [ %triple.6, %odd.6 ]
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %0, label %concord_probe.exit, !prof !0
;=
;= 0:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   br label %head, !llvm.loop !1, !concord.unrolled !3
;=
;= odd:
;=   %three = mul i64 %value, 3
;=   %triple = add i64 %three, 1
;=   br label %head.backedge
;=
;= exit:
;=   %value.lcssa = phi i64 [ %value, %head ], [ %value.be, %head.backedge ], [ %value.be.1, %head.backedge.1 ], [ %value.be.2, %head.backedge.2 ], [ %value.be.3, %head.backedge.3 ], [ %value.be.4, %head.backedge.4 ], [ %value.be.5, %head.backedge.5 ]
;=   ret i64 %value.lcssa
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
;= !1 = distinct !{!1, !2}
;= !2 = !{!"llvm.loop.unroll.disable"}
;= !3 = !{}
