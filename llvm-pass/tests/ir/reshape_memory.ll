;@ stage: reshape
;@ level: 2
; Operations that may be long are done in pieces then; what belongs to the call stays with it on the usual way.

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i32 @memcmp(ptr, ptr, i64)
declare ptr @memchr(ptr, i32, i64)

define void @copies(ptr %to, ptr %from, i64 %n) #0 {
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 4 %from, i64 %n, i1 false)
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 8 %from, ptr align 4 %to, i64 %n, i1 false)
  ret void
}

define void @moves(ptr %to, ptr %from, i64 %n) #0 {
  call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  ret void
}

; A constant length needs no test.
define void @sets(ptr %to) #0 {
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 1000000, i1 false)
  ret void
}

define i32 @compares(ptr %a, ptr %b, i64 %n) #0 {
  %order = tail call i32 @memcmp(ptr %a, ptr %b, i64 %n)
  ret i32 %order
}

; Code that is to be small does not grow.
define ptr @finds(ptr %a, i32 %byte, i64 %n) #1 {
  %found = tail call ptr @memchr(ptr %a, i32 %byte, i64 %n)
  ret ptr %found
}

attributes #0 = { "concord-probed" }
attributes #1 = { optsize "concord-probed" }

;= define void @copies(ptr %to, ptr %from, i64 %n) #2 {
;=   %long.i1 = icmp ugt i64 %n, 8192
;=   br i1 %long.i1, label %1, label %2, !prof !0
;=
;= 1:
;=   call void @concord.memcpy(ptr %to, ptr %from, i64 %n)
;=   br label %concord.memcpy.checked.exit2
;=
;= 2:
;=   tail call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 4 %from, i64 %n, i1 false)
;=   br label %concord.memcpy.checked.exit2
;=
;= concord.memcpy.checked.exit2:
;=   %long.i = icmp ugt i64 %n, 8192
;=   br i1 %long.i, label %3, label %4, !prof !0
;=
;= 3:
;=   call void @concord.memcpy(ptr %from, ptr %to, i64 %n)
;=   br label %concord.memcpy.checked.exit
;=
;= 4:
;=   tail call void @llvm.memcpy.p0.p0.i64(ptr align 8 %from, ptr align 4 %to, i64 %n, i1 false)
;=   br label %concord.memcpy.checked.exit
;=
;= concord.memcpy.checked.exit:
;=   ret void
;= }
;=
;= define void @moves(ptr %to, ptr %from, i64 %n) #2 {
;=   %long.i = icmp ugt i64 %n, 8192
;=   br i1 %long.i, label %1, label %2, !prof !0
;=
;= 1:
;=   call void @concord.memmove(ptr %to, ptr %from, i64 %n)
;=   br label %concord.memmove.checked.exit
;=
;= 2:
;=   call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
;=   br label %concord.memmove.checked.exit
;=
;= concord.memmove.checked.exit:
;=   ret void
;= }
;=
;= define void @sets(ptr %to) #2 {
;=   call void @concord.memset(ptr %to, i8 0, i64 1000000)
;=   ret void
;= }
;=
;= define i32 @compares(ptr %a, ptr %b, i64 %n) #2 {
;=   %long.i = icmp ugt i64 %n, 8192
;=   br i1 %long.i, label %1, label %3, !prof !0
;=
;= 1:
;=   %2 = call i32 @concord.memcmp(ptr %a, ptr %b, i64 %n)
;=   br label %concord.memcmp.checked.exit
;=
;= 3:
;=   %4 = tail call i32 @memcmp(ptr %a, ptr %b, i64 %n) #5
;=   br label %concord.memcmp.checked.exit
;=
;= concord.memcmp.checked.exit:
;=   %5 = phi i32 [ %2, %1 ], [ %4, %3 ]
;=   ret i32 %5
;= }
;=
;= define ptr @finds(ptr %a, i32 %byte, i64 %n) #3 {
;=   %1 = tail call ptr @concord.memchr(ptr %a, i32 %byte, i64 %n)
;=   ret ptr %1
;= }
;=
;= define internal void @concord.memcpy(ptr %0, ptr %1, i64 %2) #4 {
;= start:
;=   %long = icmp ugt i64 %2, 8192
;=   br i1 %long, label %piece, label %rest
;=
;= piece:
;=   %3 = phi i64 [ 0, %start ], [ %done, %next ]
;=   %4 = getelementptr inbounds i8, ptr %0, i64 %3
;=   %5 = getelementptr inbounds i8, ptr %1, i64 %3
;=   call void @llvm.memcpy.p0.p0.i64(ptr %4, ptr %5, i64 8192, i1 false)
;=   br label %next
;=
;= next:
;=   %done = add nuw i64 %3, 8192
;=   %left = sub i64 %2, %done
;=   %long1 = icmp ugt i64 %left, 8192
;=   br i1 %long1, label %piece, label %rest
;=
;= rest:
;=   %6 = phi i64 [ 0, %start ], [ %done, %next ]
;=   %left2 = sub i64 %2, %6
;=   %7 = getelementptr inbounds i8, ptr %0, i64 %6
;=   %8 = getelementptr inbounds i8, ptr %1, i64 %6
;=   call void @llvm.memcpy.p0.p0.i64(ptr %7, ptr %8, i64 %left2, i1 false)
;=   ret void
;= }
;=
;= define internal void @concord.memmove(ptr %0, ptr %1, i64 %2) #4 {
;= start:
;=   %to = ptrtoint ptr %0 to i64
;=   %from = ptrtoint ptr %1 to i64
;=   %distance = sub i64 %to, %from
;=   %within = icmp ult i64 %distance, %2
;=   br i1 %within, label %backward, label %forward
;=
;= backward:
;=   %long = icmp ugt i64 %2, 8192
;=   br i1 %long, label %last.piece, label %first.piece
;=
;= forward:
;=   %long2 = icmp ugt i64 %2, 8192
;=   br i1 %long2, label %piece, label %rest
;=
;= last.piece:
;=   %3 = phi i64 [ %2, %backward ], [ %left, %last.piece ]
;=   %left = sub i64 %3, 8192
;=   %4 = getelementptr inbounds i8, ptr %0, i64 %left
;=   %5 = getelementptr inbounds i8, ptr %1, i64 %left
;=   call void @llvm.memmove.p0.p0.i64(ptr %4, ptr %5, i64 8192, i1 false)
;=   %long1 = icmp ugt i64 %left, 8192
;=   br i1 %long1, label %last.piece, label %first.piece
;=
;= first.piece:
;=   %6 = phi i64 [ %2, %backward ], [ %left, %last.piece ]
;=   %7 = getelementptr inbounds i8, ptr %0, i64 0
;=   %8 = getelementptr inbounds i8, ptr %1, i64 0
;=   call void @llvm.memmove.p0.p0.i64(ptr %7, ptr %8, i64 %6, i1 false)
;=   ret void
;=
;= piece:
;=   %9 = phi i64 [ 0, %forward ], [ %done, %next ]
;=   %10 = getelementptr inbounds i8, ptr %0, i64 %9
;=   %11 = getelementptr inbounds i8, ptr %1, i64 %9
;=   call void @llvm.memmove.p0.p0.i64(ptr %10, ptr %11, i64 8192, i1 false)
;=   br label %next
;=
;= next:
;=   %done = add nuw i64 %9, 8192
;=   %left3 = sub i64 %2, %done
;=   %long4 = icmp ugt i64 %left3, 8192
;=   br i1 %long4, label %piece, label %rest
;=
;= rest:
;=   %12 = phi i64 [ 0, %forward ], [ %done, %next ]
;=   %left5 = sub i64 %2, %12
;=   %13 = getelementptr inbounds i8, ptr %0, i64 %12
;=   %14 = getelementptr inbounds i8, ptr %1, i64 %12
;=   call void @llvm.memmove.p0.p0.i64(ptr %13, ptr %14, i64 %left5, i1 false)
;=   ret void
;= }
;=
;= define internal void @concord.memset(ptr %0, i8 %1, i64 %2) #4 {
;= start:
;=   %long = icmp ugt i64 %2, 8192
;=   br i1 %long, label %piece, label %rest
;=
;= piece:
;=   %3 = phi i64 [ 0, %start ], [ %done, %next ]
;=   %4 = getelementptr inbounds i8, ptr %0, i64 %3
;=   call void @llvm.memset.p0.i64(ptr %4, i8 %1, i64 8192, i1 false)
;=   br label %next
;=
;= next:
;=   %done = add nuw i64 %3, 8192
;=   %left = sub i64 %2, %done
;=   %long1 = icmp ugt i64 %left, 8192
;=   br i1 %long1, label %piece, label %rest
;=
;= rest:
;=   %5 = phi i64 [ 0, %start ], [ %done, %next ]
;=   %left2 = sub i64 %2, %5
;=   %6 = getelementptr inbounds i8, ptr %0, i64 %5
;=   call void @llvm.memset.p0.i64(ptr %6, i8 %1, i64 %left2, i1 false)
;=   ret void
;= }
;=
;= define internal i32 @concord.memcmp(ptr %0, ptr %1, i64 %2) #4 {
;= start:
;=   %long = icmp ugt i64 %2, 8192
;=   br i1 %long, label %piece, label %rest
;=
;= piece:
;=   %3 = phi i64 [ 0, %start ], [ %done, %next ]
;=   %4 = getelementptr inbounds i8, ptr %0, i64 %3
;=   %5 = getelementptr inbounds i8, ptr %1, i64 %3
;=   %6 = call i32 @memcmp(ptr %4, ptr %5, i64 8192)
;=   %differs = icmp ne i32 %6, 0
;=   br i1 %differs, label %stop, label %next
;=
;= next:
;=   %done = add nuw i64 %3, 8192
;=   %left = sub i64 %2, %done
;=   %long1 = icmp ugt i64 %left, 8192
;=   br i1 %long1, label %piece, label %rest
;=
;= rest:
;=   %7 = phi i64 [ 0, %start ], [ %done, %next ]
;=   %left2 = sub i64 %2, %7
;=   %8 = getelementptr inbounds i8, ptr %0, i64 %7
;=   %9 = getelementptr inbounds i8, ptr %1, i64 %7
;=   %10 = call i32 @memcmp(ptr %8, ptr %9, i64 %left2)
;=   ret i32 %10
;=
;= stop:
;=   ret i32 %6
;= }
;=
;= define internal ptr @concord.memchr(ptr %0, i32 %1, i64 %2) #4 {
;= start:
;=   %long = icmp ugt i64 %2, 8192
;=   br i1 %long, label %piece, label %rest
;=
;= piece:
;=   %3 = phi i64 [ 0, %start ], [ %done, %next ]
;=   %4 = getelementptr inbounds i8, ptr %0, i64 %3
;=   %5 = call ptr @memchr(ptr %4, i32 %1, i64 8192)
;=   %found = icmp ne ptr %5, null
;=   br i1 %found, label %stop, label %next
;=
;= next:
;=   %done = add nuw i64 %3, 8192
;=   %left = sub i64 %2, %done
;=   %long1 = icmp ugt i64 %left, 8192
;=   br i1 %long1, label %piece, label %rest
;=
;= rest:
;=   %6 = phi i64 [ 0, %start ], [ %done, %next ]
;=   %left2 = sub i64 %2, %6
;=   %7 = getelementptr inbounds i8, ptr %0, i64 %6
;=   %8 = call ptr @memchr(ptr %7, i32 %1, i64 %left2)
;=   ret ptr %8
;=
;= stop:
;=   ret ptr %5
;= }
;=
;= attributes #2 = { "concord-probed" }
;= attributes #3 = { optsize "concord-probed" }
;= attributes #4 = { cold noinline nounwind "concord-probed" }
;= attributes #5 = { nounwind }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
