/** Times as start events tell them. */

/** Python's `time.asctime()`: `Sat Nov 21 07:30:42 2026`. */
export function asctime(date: Date): string {
  const [day = '', month = '', dayOfMonth = '', year = '', time = ''] = date.toString().split(' ');
  return `${day} ${month} ${String(Number(dayOfMonth)).padStart(2)} ${time} ${year}`;
}
