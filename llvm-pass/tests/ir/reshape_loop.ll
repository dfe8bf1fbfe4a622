;@ stage: reshape
;@ level: 3
; The loop that tail-call elimination made stands three times before its levels are added.

declare void @use(i64)

define void @move(i64 %n, i64 %from, i64 %to) #0 {
entry:
  %none = icmp eq i64 %n, 0
  br i1 %none, label %end, label %more
more:
  %from.now = phi i64 [ %from, %entry ], [ %via, %more ]
  %n.now = phi i64 [ %n, %entry ], [ %less, %more ]
  %less = add i64 %n.now, -1
  %both = add i64 %from.now, %to
  %via = sub i64 3, %both
  call void @move(i64 %less, i64 %from.now, i64 %via)
  %a0 = mul i64 %from.now, 3
  %a1 = xor i64 %a0, %to
  %a2 = mul i64 %a1, 5
  %a3 = xor i64 %a2, %less
  %a4 = mul i64 %a3, 7
  %a5 = xor i64 %a4, %less
  %a6 = mul i64 %a5, 9
  %a7 = xor i64 %a6, %less
  %a8 = mul i64 %a7, 11
  %a9 = xor i64 %a8, %less
  %b0 = mul i64 %a9, 13
  %b1 = xor i64 %b0, %to
  %b2 = mul i64 %b1, 15
  %b3 = xor i64 %b2, %less
  %b4 = mul i64 %b3, 17
  %b5 = xor i64 %b4, %less
  %b6 = mul i64 %b5, 19
  %b7 = xor i64 %b6, %less
  %b8 = mul i64 %b7, 21
  %b9 = xor i64 %b8, %less
  call void @use(i64 %b9)
  %done = icmp eq i64 %less, 0
  br i1 %done, label %end, label %more
end:
  ret void
}

attributes #0 = { "concord-probed" }

;= define void @move(i64 %n, i64 %from, i64 %to) #0 {
;= entry:
;=   %none = icmp eq i64 %n, 0
;=   br i1 %none, label %end, label %more
;=
;= more:
;=   %from.now = phi i64 [ %via, %move.level.exit ], [ %from, %entry ]
;=   %n.now = phi i64 [ %less.2, %move.level.exit ], [ %n, %entry ]
;=   %less = add i64 %n.now, -1
;=   %both = add i64 %from.now, %to
;=   %via = sub i64 3, %both
;=   %0 = icmp eq i64 %less, 0
;=   br i1 %0, label %move.level.exit2, label %1
;=
;= 1:
;=   %2 = phi i64 [ %6, %move.leaf.exit8 ], [ %from.now, %more ]
;=   %3 = phi i64 [ %54, %move.leaf.exit8 ], [ %less, %more ]
;=   %4 = add i64 %3, -1
;=   %5 = add i64 %2, %via
;=   %6 = sub i64 3, %5
;=   %7 = icmp eq i64 %4, 0
;=   br i1 %7, label %move.leaf.exit10, label %8
;=
;= 8:
;=   call void @move(i64 %4, i64 %2, i64 %6)
;=   br label %move.leaf.exit10
;=
;= move.leaf.exit10:
;=   %9 = mul i64 %2, 3
;=   %10 = xor i64 %9, %via
;=   %11 = mul i64 %10, 5
;=   %12 = xor i64 %11, %4
;=   %13 = mul i64 %12, 7
;=   %14 = xor i64 %13, %4
;=   %15 = mul i64 %14, 9
;=   %16 = xor i64 %15, %4
;=   %17 = mul i64 %16, 11
;=   %18 = xor i64 %17, %4
;=   %19 = mul i64 %18, 13
;=   %20 = xor i64 %19, %via
;=   %21 = mul i64 %20, 15
;=   %22 = xor i64 %21, %4
;=   %23 = mul i64 %22, 17
;=   %24 = xor i64 %23, %4
;=   %25 = mul i64 %24, 19
;=   %26 = xor i64 %25, %4
;=   %27 = mul i64 %26, 21
;=   %28 = xor i64 %27, %4
;=   call void @use(i64 %28)
;=   br i1 %7, label %move.level.exit2, label %29, !llvm.loop !0, !concord.unrolled !2
;=
;= 29:
;=   %30 = add i64 %3, -2
;=   %31 = icmp eq i64 %30, 0
;=   br i1 %31, label %move.leaf.exit9, label %32
;=
;= 32:
;=   call void @move(i64 %30, i64 %6, i64 %2)
;=   br label %move.leaf.exit9
;=
;= move.leaf.exit9:
;=   %33 = mul i64 %6, 3
;=   %34 = xor i64 %33, %via
;=   %35 = mul i64 %34, 5
;=   %36 = xor i64 %35, %30
;=   %37 = mul i64 %36, 7
;=   %38 = xor i64 %37, %30
;=   %39 = mul i64 %38, 9
;=   %40 = xor i64 %39, %30
;=   %41 = mul i64 %40, 11
;=   %42 = xor i64 %41, %30
;=   %43 = mul i64 %42, 13
;=   %44 = xor i64 %43, %via
;=   %45 = mul i64 %44, 15
;=   %46 = xor i64 %45, %30
;=   %47 = mul i64 %46, 17
;=   %48 = xor i64 %47, %30
;=   %49 = mul i64 %48, 19
;=   %50 = xor i64 %49, %30
;=   %51 = mul i64 %50, 21
;=   %52 = xor i64 %51, %30
;=   call void @use(i64 %52)
;=   br i1 %31, label %move.level.exit2, label %53, !llvm.loop !0, !concord.unrolled !2
;=
;= 53:
;=   %54 = add i64 %3, -3
;=   %55 = icmp eq i64 %54, 0
;=   br i1 %55, label %move.leaf.exit8, label %56
;=
;= 56:
;=   call void @move(i64 %54, i64 %2, i64 %6)
;=   br label %move.leaf.exit8
;=
;= move.leaf.exit8:
;=   %57 = xor i64 %11, %54
;=   %58 = mul i64 %57, 7
;=   %59 = xor i64 %58, %54
;=   %60 = mul i64 %59, 9
;=   %61 = xor i64 %60, %54
;=   %62 = mul i64 %61, 11
;=   %63 = xor i64 %62, %54
;=   %64 = mul i64 %63, 13
;=   %65 = xor i64 %64, %via
;=   %66 = mul i64 %65, 15
;=   %67 = xor i64 %66, %54
;=   %68 = mul i64 %67, 17
;=   %69 = xor i64 %68, %54
;=   %70 = mul i64 %69, 19
;=   %71 = xor i64 %70, %54
;=   %72 = mul i64 %71, 21
;=   %73 = xor i64 %72, %54
;=   call void @use(i64 %73)
;=   br i1 %55, label %move.level.exit2, label %1, !llvm.loop !3, !concord.unrolled !2
;=
;= move.level.exit2:
;=   %a0 = mul i64 %from.now, 3
;=   %a1 = xor i64 %a0, %to
;=   %a2 = mul i64 %a1, 5
;=   %a3 = xor i64 %a2, %less
;=   %a4 = mul i64 %a3, 7
;=   %a5 = xor i64 %a4, %less
;=   %a6 = mul i64 %a5, 9
;=   %a7 = xor i64 %a6, %less
;=   %a8 = mul i64 %a7, 11
;=   %a9 = xor i64 %a8, %less
;=   %b0 = mul i64 %a9, 13
;=   %b1 = xor i64 %b0, %to
;=   %b2 = mul i64 %b1, 15
;=   %b3 = xor i64 %b2, %less
;=   %b4 = mul i64 %b3, 17
;=   %b5 = xor i64 %b4, %less
;=   %b6 = mul i64 %b5, 19
;=   %b7 = xor i64 %b6, %less
;=   %b8 = mul i64 %b7, 21
;=   %b9 = xor i64 %b8, %less
;=   call void @use(i64 %b9)
;=   br i1 %0, label %end, label %more.1, !llvm.loop !0, !concord.unrolled !2
;=
;= more.1:
;=   %less.1 = add i64 %n.now, -2
;=   %74 = icmp eq i64 %less.1, 0
;=   br i1 %74, label %move.level.exit1, label %75
;=
;= 75:
;=   %76 = phi i64 [ %80, %move.leaf.exit5 ], [ %via, %more.1 ]
;=   %77 = phi i64 [ %128, %move.leaf.exit5 ], [ %less.1, %more.1 ]
;=   %78 = add i64 %77, -1
;=   %79 = add i64 %76, %from.now
;=   %80 = sub i64 3, %79
;=   %81 = icmp eq i64 %78, 0
;=   br i1 %81, label %move.leaf.exit7, label %82
;=
;= 82:
;=   call void @move(i64 %78, i64 %76, i64 %80)
;=   br label %move.leaf.exit7
;=
;= move.leaf.exit7:
;=   %83 = mul i64 %76, 3
;=   %84 = xor i64 %83, %from.now
;=   %85 = mul i64 %84, 5
;=   %86 = xor i64 %85, %78
;=   %87 = mul i64 %86, 7
;=   %88 = xor i64 %87, %78
;=   %89 = mul i64 %88, 9
;=   %90 = xor i64 %89, %78
;=   %91 = mul i64 %90, 11
;=   %92 = xor i64 %91, %78
;=   %93 = mul i64 %92, 13
;=   %94 = xor i64 %93, %from.now
;=   %95 = mul i64 %94, 15
;=   %96 = xor i64 %95, %78
;=   %97 = mul i64 %96, 17
;=   %98 = xor i64 %97, %78
;=   %99 = mul i64 %98, 19
;=   %100 = xor i64 %99, %78
;=   %101 = mul i64 %100, 21
;=   %102 = xor i64 %101, %78
;=   call void @use(i64 %102)
;=   br i1 %81, label %move.level.exit1, label %103, !llvm.loop !0, !concord.unrolled !2
;=
;= 103:
;=   %104 = add i64 %77, -2
;=   %105 = icmp eq i64 %104, 0
;=   br i1 %105, label %move.leaf.exit6, label %106
;=
;= 106:
;=   call void @move(i64 %104, i64 %80, i64 %76)
;=   br label %move.leaf.exit6
;=
;= move.leaf.exit6:
;=   %107 = mul i64 %80, 3
;=   %108 = xor i64 %107, %from.now
;=   %109 = mul i64 %108, 5
;=   %110 = xor i64 %109, %104
;=   %111 = mul i64 %110, 7
;=   %112 = xor i64 %111, %104
;=   %113 = mul i64 %112, 9
;=   %114 = xor i64 %113, %104
;=   %115 = mul i64 %114, 11
;=   %116 = xor i64 %115, %104
;=   %117 = mul i64 %116, 13
;=   %118 = xor i64 %117, %from.now
;=   %119 = mul i64 %118, 15
;=   %120 = xor i64 %119, %104
;=   %121 = mul i64 %120, 17
;=   %122 = xor i64 %121, %104
;=   %123 = mul i64 %122, 19
;=   %124 = xor i64 %123, %104
;=   %125 = mul i64 %124, 21
;=   %126 = xor i64 %125, %104
;=   call void @use(i64 %126)
;=   br i1 %105, label %move.level.exit1, label %127, !llvm.loop !0, !concord.unrolled !2
;=
;= 127:
;=   %128 = add i64 %77, -3
;=   %129 = icmp eq i64 %128, 0
;=   br i1 %129, label %move.leaf.exit5, label %130
;=
;= 130:
;=   call void @move(i64 %128, i64 %76, i64 %80)
;=   br label %move.leaf.exit5
;=
;= move.leaf.exit5:
;=   %131 = xor i64 %85, %128
;=   %132 = mul i64 %131, 7
;=   %133 = xor i64 %132, %128
;=   %134 = mul i64 %133, 9
;=   %135 = xor i64 %134, %128
;=   %136 = mul i64 %135, 11
;=   %137 = xor i64 %136, %128
;=   %138 = mul i64 %137, 13
;=   %139 = xor i64 %138, %from.now
;=   %140 = mul i64 %139, 15
;=   %141 = xor i64 %140, %128
;=   %142 = mul i64 %141, 17
;=   %143 = xor i64 %142, %128
;=   %144 = mul i64 %143, 19
;=   %145 = xor i64 %144, %128
;=   %146 = mul i64 %145, 21
;=   %147 = xor i64 %146, %128
;=   call void @use(i64 %147)
;=   br i1 %129, label %move.level.exit1, label %75, !llvm.loop !3, !concord.unrolled !2
;=
;= move.level.exit1:
;=   %a0.1 = mul i64 %via, 3
;=   %a1.1 = xor i64 %a0.1, %to
;=   %a2.1 = mul i64 %a1.1, 5
;=   %a3.1 = xor i64 %a2.1, %less.1
;=   %a4.1 = mul i64 %a3.1, 7
;=   %a5.1 = xor i64 %a4.1, %less.1
;=   %a6.1 = mul i64 %a5.1, 9
;=   %a7.1 = xor i64 %a6.1, %less.1
;=   %a8.1 = mul i64 %a7.1, 11
;=   %a9.1 = xor i64 %a8.1, %less.1
;=   %b0.1 = mul i64 %a9.1, 13
;=   %b1.1 = xor i64 %b0.1, %to
;=   %b2.1 = mul i64 %b1.1, 15
;=   %b3.1 = xor i64 %b2.1, %less.1
;=   %b4.1 = mul i64 %b3.1, 17
;=   %b5.1 = xor i64 %b4.1, %less.1
;=   %b6.1 = mul i64 %b5.1, 19
;=   %b7.1 = xor i64 %b6.1, %less.1
;=   %b8.1 = mul i64 %b7.1, 21
;=   %b9.1 = xor i64 %b8.1, %less.1
;=   call void @use(i64 %b9.1)
;=   br i1 %74, label %end, label %more.2, !llvm.loop !0, !concord.unrolled !2
;=
;= more.2:
;=   %less.2 = add i64 %n.now, -3
;=   %148 = icmp eq i64 %less.2, 0
;=   br i1 %148, label %move.level.exit, label %149
;=
;= 149:
;=   %150 = phi i64 [ %154, %move.leaf.exit ], [ %from.now, %more.2 ]
;=   %151 = phi i64 [ %202, %move.leaf.exit ], [ %less.2, %more.2 ]
;=   %152 = add i64 %151, -1
;=   %153 = add i64 %150, %via
;=   %154 = sub i64 3, %153
;=   %155 = icmp eq i64 %152, 0
;=   br i1 %155, label %move.leaf.exit4, label %156
;=
;= 156:
;=   call void @move(i64 %152, i64 %150, i64 %154)
;=   br label %move.leaf.exit4
;=
;= move.leaf.exit4:
;=   %157 = mul i64 %150, 3
;=   %158 = xor i64 %157, %via
;=   %159 = mul i64 %158, 5
;=   %160 = xor i64 %159, %152
;=   %161 = mul i64 %160, 7
;=   %162 = xor i64 %161, %152
;=   %163 = mul i64 %162, 9
;=   %164 = xor i64 %163, %152
;=   %165 = mul i64 %164, 11
;=   %166 = xor i64 %165, %152
;=   %167 = mul i64 %166, 13
;=   %168 = xor i64 %167, %via
;=   %169 = mul i64 %168, 15
;=   %170 = xor i64 %169, %152
;=   %171 = mul i64 %170, 17
;=   %172 = xor i64 %171, %152
;=   %173 = mul i64 %172, 19
;=   %174 = xor i64 %173, %152
;=   %175 = mul i64 %174, 21
;=   %176 = xor i64 %175, %152
;=   call void @use(i64 %176)
;=   br i1 %155, label %move.level.exit, label %177, !llvm.loop !0, !concord.unrolled !2
;=
;= 177:
;=   %178 = add i64 %151, -2
;=   %179 = icmp eq i64 %178, 0
;=   br i1 %179, label %move.leaf.exit3, label %180
;=
;= 180:
;=   call void @move(i64 %178, i64 %154, i64 %150)
;=   br label %move.leaf.exit3
;=
;= move.leaf.exit3:
;=   %181 = mul i64 %154, 3
;=   %182 = xor i64 %181, %via
;=   %183 = mul i64 %182, 5
;=   %184 = xor i64 %183, %178
;=   %185 = mul i64 %184, 7
;=   %186 = xor i64 %185, %178
;=   %187 = mul i64 %186, 9
;=   %188 = xor i64 %187, %178
;=   %189 = mul i64 %188, 11
;=   %190 = xor i64 %189, %178
;=   %191 = mul i64 %190, 13
;=   %192 = xor i64 %191, %via
;=   %193 = mul i64 %192, 15
;=   %194 = xor i64 %193, %178
;=   %195 = mul i64 %194, 17
;=   %196 = xor i64 %195, %178
;=   %197 = mul i64 %196, 19
;=   %198 = xor i64 %197, %178
;=   %199 = mul i64 %198, 21
;=   %200 = xor i64 %199, %178
;=   call void @use(i64 %200)
;=   br i1 %179, label %move.level.exit, label %201, !llvm.loop !0, !concord.unrolled !2
;=
;= 201:
;=   %202 = add i64 %151, -3
;=   %203 = icmp eq i64 %202, 0
;=   br i1 %203, label %move.leaf.exit, label %204
;=
;= 204:
;=   call void @move(i64 %202, i64 %150, i64 %154)
;=   br label %move.leaf.exit
;=
;= move.leaf.exit:
;=   %205 = xor i64 %159, %202
;=   %206 = mul i64 %205, 7
;=   %207 = xor i64 %206, %202
;=   %208 = mul i64 %207, 9
;=   %209 = xor i64 %208, %202
;=   %210 = mul i64 %209, 11
;=   %211 = xor i64 %210, %202
;=   %212 = mul i64 %211, 13
;=   %213 = xor i64 %212, %via
;=   %214 = mul i64 %213, 15
;=   %215 = xor i64 %214, %202
;=   %216 = mul i64 %215, 17
;=   %217 = xor i64 %216, %202
;=   %218 = mul i64 %217, 19
;=   %219 = xor i64 %218, %202
;=   %220 = mul i64 %219, 21
;=   %221 = xor i64 %220, %202
;=   call void @use(i64 %221)
;=   br i1 %203, label %move.level.exit, label %149, !llvm.loop !3, !concord.unrolled !2
;=
;= move.level.exit:
;=   %a3.2 = xor i64 %a2, %less.2
;=   %a4.2 = mul i64 %a3.2, 7
;=   %a5.2 = xor i64 %a4.2, %less.2
;=   %a6.2 = mul i64 %a5.2, 9
;=   %a7.2 = xor i64 %a6.2, %less.2
;=   %a8.2 = mul i64 %a7.2, 11
;=   %a9.2 = xor i64 %a8.2, %less.2
;=   %b0.2 = mul i64 %a9.2, 13
;=   %b1.2 = xor i64 %b0.2, %to
;=   %b2.2 = mul i64 %b1.2, 15
;=   %b3.2 = xor i64 %b2.2, %less.2
;=   %b4.2 = mul i64 %b3.2, 17
;=   %b5.2 = xor i64 %b4.2, %less.2
;=   %b6.2 = mul i64 %b5.2, 19
;=   %b7.2 = xor i64 %b6.2, %less.2
;=   %b8.2 = mul i64 %b7.2, 21
;=   %b9.2 = xor i64 %b8.2, %less.2
;=   call void @use(i64 %b9.2)
;=   br i1 %148, label %end, label %more, !llvm.loop !3, !concord.unrolled !2
;=
;= end:
;=   ret void
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = distinct !{!0, !1}
;= !1 = !{!"llvm.loop.unroll.count", i32 3}
;= !2 = !{}
;= !3 = distinct !{!3, !4}
;= !4 = !{!"llvm.loop.unroll.disable"}
