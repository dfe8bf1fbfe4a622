;@ stage: reshape
;@ level: 2
; Operations that are short, and those that must stay as they are.

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.umin.i64(i64, i64)

define void @short(ptr %to, ptr %from, i64 %n, i8 %byte, i1 %which, i64 %m) #0 {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 8192, i1 false)
  %masked = and i64 %n, 4095
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %masked, i1 false)
  %wide = zext i8 %byte to i64
  %scaled = shl i64 %wide, 5
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %scaled, i1 false)
  %least = call i64 @llvm.umin.i64(i64 %n, i64 8000)
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %least, i1 false)
  %part = lshr i64 %n, 51
  %chosen = select i1 %which, i64 %part, i64 7
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %chosen, i1 false)
  %rest = urem i64 %n, 4096
  %sum = add i64 %rest, %masked
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %sum, i1 false)
  ret void
}

define void @fixed(ptr %to, ptr %from, i64 %n) #0 {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 true)
  call void @llvm.memcpy.inline.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  ret void
}

; Without probes.
define void @native(ptr %to, ptr %from, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  ret void
}

; A definition is code like any other.
define i32 @bcmp(ptr %a, ptr %b, i64 %n) #0 {
  ret i32 0
}

define i32 @own(ptr %a, ptr %b, i64 %n) #0 {
  %differs = call i32 @bcmp(ptr %a, ptr %b, i64 %n)
  ret i32 %differs
}

attributes #0 = { "concord-probed" }

;= define void @short(ptr %to, ptr %from, i64 %n, i8 %byte, i1 %which, i64 %m) #2 {
;=   call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 8192, i1 false)
;=   %masked = and i64 %n, 4095
;=   call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %masked, i1 false)
;=   %wide = zext i8 %byte to i64
;=   %scaled = shl i64 %wide, 5
;=   call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %scaled, i1 false)
;=   %least = call i64 @llvm.umin.i64(i64 %n, i64 8000)
;=   call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %least, i1 false)
;=   %part = lshr i64 %n, 51
;=   %chosen = select i1 %which, i64 %part, i64 7
;=   call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %chosen, i1 false)
;=   %rest = urem i64 %n, 4096
;=   %sum = add i64 %rest, %masked
;=   call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %sum, i1 false)
;=   ret void
;= }
;=
;= define void @fixed(ptr %to, ptr %from, i64 %n) #2 {
;=   call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 true)
;=   call void @llvm.memcpy.inline.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
;=   ret void
;= }
;=
;= define void @native(ptr %to, ptr %from, i64 %n) {
;=   call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
;=   ret void
;= }
;=
;= define i32 @bcmp(ptr %a, ptr %b, i64 %n) #2 {
;=   ret i32 0
;= }
;=
;= define i32 @own(ptr %a, ptr %b, i64 %n) #2 {
;=   %differs = call i32 @bcmp(ptr %a, ptr %b, i64 %n)
;=   ret i32 %differs
;= }
;=
;= attributes #2 = { "concord-probed" }
