;@ stage: reshape
;@ level: 3
; A function that works in a loop keeps its one level; the way without a call is copied to its calls, `noinline` or not.
; A call that gives up its frame still does.
; What has an effect is not done twice: the second function's calls stay.

declare void @use(i64)

define void @split(i64 noundef signext %n) #0 {
entry:
  %small = icmp ult i64 %n, 2
  br i1 %small, label %end, label %work
work:
  %i = phi i64 [ 0, %entry ], [ %next, %work ]
  call void @use(i64 %i)
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %work, label %halves
halves:
  %half = lshr i64 %n, 1
  call void @split(i64 signext %half) #1
  tail call void @split(i64 signext %half)
  br label %end
end:
  ret void
}

define void @count(i64 %n, ptr %counter) #0 {
entry:
  %old = load i64, ptr %counter
  %new = add i64 %old, 1
  store i64 %new, ptr %counter
  %small = icmp ult i64 %n, 2
  br i1 %small, label %end, label %work
work:
  %i = phi i64 [ 0, %entry ], [ %next, %work ]
  call void @use(i64 %i)
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %work, label %half
half:
  %less = lshr i64 %n, 1
  call void @count(i64 %less, ptr %counter)
  br label %end
end:
  ret void
}

attributes #0 = { noinline "concord-probed" }
attributes #1 = { noinline }

;= define void @split(i64 noundef signext %n) #0 {
;= entry:
;=   %small = icmp ult i64 %n, 2
;=   br i1 %small, label %end, label %work
;=
;= work:
;=   %i = phi i64 [ 0, %entry ], [ %next, %work ]
;=   call void @use(i64 %i)
;=   %next = add i64 %i, 1
;=   %again = icmp ult i64 %next, %n
;=   br i1 %again, label %work, label %halves
;=
;= halves:
;=   %half = lshr i64 %n, 1
;=   %0 = icmp ult i64 %half, 2
;=   br i1 %0, label %split.leaf.exit1, label %1
;=
;= 1:
;=   call void @split(i64 noundef signext %half)
;=   br label %split.leaf.exit1
;=
;= split.leaf.exit1:
;=   %2 = icmp ult i64 %half, 2
;=   br i1 %2, label %split.leaf.exit, label %3
;=
;= 3:
;=   tail call void @split(i64 noundef signext %half)
;=   br label %split.leaf.exit
;=
;= split.leaf.exit:
;=   br label %end
;=
;= end:
;=   ret void
;= }
;=
;= define void @count(i64 %n, ptr %counter) #0 {
;= entry:
;=   %old = load i64, ptr %counter, align 4
;=   %new = add i64 %old, 1
;=   store i64 %new, ptr %counter, align 4
;=   %small = icmp ult i64 %n, 2
;=   br i1 %small, label %end, label %work
;=
;= work:
;=   %i = phi i64 [ 0, %entry ], [ %next, %work ]
;=   call void @use(i64 %i)
;=   %next = add i64 %i, 1
;=   %again = icmp ult i64 %next, %n
;=   br i1 %again, label %work, label %half
;=
;= half:
;=   %less = lshr i64 %n, 1
;=   call void @count(i64 %less, ptr %counter)
;=   br label %end
;=
;= end:
;=   ret void
;= }
;=
;= attributes #0 = { noinline "concord-probed" }
