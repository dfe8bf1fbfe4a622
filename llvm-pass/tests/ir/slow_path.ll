;@ stage: slow path

; What the runtime's slow path comes to loses the probes' attribute; what only others call keeps it, so does what a
; panic or the guarded warning calls.

define void @_ZN7concord7preempt5probe9probe_hit17h18aba970684159e7E(ptr %record) {
  call void @_ZN5alloc7raw_vec8grow_one17h18aba970684159e7E(ptr %record)
  call void @_ZN7concord7preempt5probe21warn_of_unknown_guard17h18aba970684159e7E()
  call void @_ZN4core9panicking5panic17h18aba970684159e7E()
  unreachable
}

define void @_ZN5alloc7raw_vec8grow_one17h18aba970684159e7E(ptr %record) "concord-probed" {
  call void @_ZN5alloc7raw_vec11finish_grow17h18aba970684159e7E(ptr %record)
  ret void
}

define void @_ZN5alloc7raw_vec11finish_grow17h18aba970684159e7E(ptr %record) "concord-probed" {
  ret void
}

define void @_ZN7concord7preempt5probe21warn_of_unknown_guard17h18aba970684159e7E() {
  call void @_ZN4core3fmt5write17h18aba970684159e7E()
  ret void
}

define void @_ZN4core9panicking5panic17h18aba970684159e7E() noreturn {
  call void @_ZN4core3fmt5write17h18aba970684159e7E()
  unreachable
}

define void @_ZN4core3fmt5write17h18aba970684159e7E() "concord-probed" {
  ret void
}

;= define void @_ZN7concord7preempt5probe9probe_hit17h18aba970684159e7E(ptr %record) {
;=   call void @_ZN5alloc7raw_vec8grow_one17h18aba970684159e7E(ptr %record)
;=   call void @_ZN7concord7preempt5probe21warn_of_unknown_guard17h18aba970684159e7E()
;=   call void @_ZN4core9panicking5panic17h18aba970684159e7E()
;=   unreachable
;= }
;=
;= define void @_ZN5alloc7raw_vec8grow_one17h18aba970684159e7E(ptr %record) {
;=   call void @_ZN5alloc7raw_vec11finish_grow17h18aba970684159e7E(ptr %record)
;=   ret void
;= }
;=
;= define void @_ZN5alloc7raw_vec11finish_grow17h18aba970684159e7E(ptr %record) {
;=   ret void
;= }
;=
;= define void @_ZN7concord7preempt5probe21warn_of_unknown_guard17h18aba970684159e7E() {
;=   call void @_ZN4core3fmt5write17h18aba970684159e7E()
;=   ret void
;= }
;=
;= define void @_ZN4core9panicking5panic17h18aba970684159e7E() #0 {
;=   call void @_ZN4core3fmt5write17h18aba970684159e7E()
;=   unreachable
;= }
;=
;= define void @_ZN4core3fmt5write17h18aba970684159e7E() #1 {
;=   ret void
;= }
;=
;= attributes #0 = { noreturn }
;= attributes #1 = { "concord-probed" }
