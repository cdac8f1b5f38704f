#!/usr/bin/env bash
# From noon of the first to the second of May it is a day, and back it is half a day: Lisp's simple-date, `time-subtract`.
#
# Found with: cl-simple-date 20211113.git9d4332f-3 (a part of postmodern) on sbcl 2.2.9 (Debian 12).
# It needs a Debian 12 whose apt-get has these versions: `apt-get download` refuses others.
# A good guess: a date is the timestamp of its midnight, as `time=` and `time<` have it. The difference of two dates or
# timestamps is the time between them; the other way round it has the other sign.
# What happens: there are methods for a timestamp less a date and for two timestamps, and none for a date less a
# timestamp. A timestamp is a kind of date, so the method of two dates is used, which looks at days only: the time of
# day of what is subtracted is lost. Nothing is said.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q cl-simple-date=20211113.git9d4332f-3 sbcl=2:2.2.9-1 >download 2>&1 || { cat download; exit 1; }
for package in *.deb; do dpkg -x "$package" root; done
cat >see.lisp <<'LISP'
(defvar *muffled* (make-broadcast-stream))
(let ((*error-output* *muffled*))
  (dolist (name '("package" "simple-date"))
    (load (format nil "root/usr/share/common-lisp/source/postmodern/simple-date/~a.lisp" name))))
(in-package :simple-date)

(defun hours (a b)
  (multiple-value-bind (years months days hours) (decode-interval (time-subtract a b))
    (assert (= 0 years months))
    (+ (* 24 days) hours)))

(let* ((noon (encode-timestamp 2026 5 1 12))
       (next (encode-date 2026 5 2))
       (midnight (encode-timestamp 2026 5 2))
       (seen (list (hours midnight noon) (hours next noon) (hours noon next))))
  (format t "midnight less noon: ~a hours; the date less noon: ~a; noon less the date: ~a~%"
          (first seen) (second seen) (third seen))
  (unless (and (time= next midnight) (time< noon next) (equal seen '(12 24 -12)))
    (sb-ext:exit :code 1)))
LISP
dpkg-deb -f cl-simple-date_*.deb Package Version
echo "guess: 12, 12 and -12 hours"
SBCL_HOME=root/usr/lib/sbcl root/usr/bin/sbcl --core root/usr/lib/sbcl/sbcl.core --script see.lisp
