/** The names of months and days in the C locale, which Python's and Salt's texts use whatever the machine speaks. */

/** From January. */
export const MONTHS: readonly string[] = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];
/** From Sunday, as `Date` counts them. */
export const WEEKDAYS: readonly string[] = [
  ...['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
];
/** `Jan` to `Dec`. */
export const SHORT_MONTHS: readonly string[] = MONTHS.map((name) => name.slice(0, 3));
/** `Sun` to `Sat`. */
export const SHORT_WEEKDAYS: readonly string[] = WEEKDAYS.map((name) => name.slice(0, 3));
