/**
 * Icons, drawn here: lines of 1.5 on a square of 16. They say nothing by themselves; words stand beside them or in the
 * button's label.
 */
import type { JSX } from 'preact';

const PATHS = {
  now: 'M1.5 8h3l2-5 3 10 2-5h3',
  minions: 'M2 3h12v4H2zM2 9h12v4H2zM4.5 5h.01M4.5 11h.01',
  run: 'M4 2.5v11l9-5.5z',
  states: 'M3 4l1.5 1.5L7 3M3 9l1.5 1.5L7 8M9 4.5h4.5M9 9.5h4.5M3 13.5h10.5',
  keys: 'M10 2a4 4 0 1 1-3.5 6L2 12.500V14h2v-1.500h1.500V11L8 9.500M11 5h.01',
  orchestrations: 'M3 2.500h4v3H3zM9 10.500h4v3H9zM5 5.500v6.500h4M5 8h8v-2.500',
  jobs: 'M8 1.500a6.500 6.500 0 1 0 .01 0M8 4.500V8l2.500 2',
  access: 'M8 1.500l5.500 2v4c0 3.500-2.500 6-5.500 7-3-1-5.500-3.500-5.500-7v-4zM5.500 8l2 2 3.500-3.500',
  search: 'M7 2a5 5 0 1 0 .01 0M10.800 10.800L14 14',
  close: 'M3.500 3.500l9 9M12.500 3.500l-9 9',
  down: 'M3.500 6L8 10.500 12.500 6',
  right: 'M6 3.500L10.500 8 6 12.500',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  light:
    'M8 5a3 3 0 1 0 .01 0M8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  dark: 'M13.500 9.500A6 6 0 1 1 6.500 2.500a5 5 0 0 0 7 7z',
  system: 'M2 3h12v8H2zM6 13.500h4M8 11v2.500',
  user: 'M8 2a3 3 0 1 0 .01 0M2.500 14c.5-3 2.500-4.500 5.500-4.500s5 1.500 5.500 4.500',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  check: 'M3 8.500l3.500 3.500L13 4.500',
  cross: 'M4 4l8 8M12 4l-8 8',
  away: 'M8 1.500a6.500 6.500 0 1 0 .01 0M3.500 3.500l9 9',
  wait: 'M4 2h8M4 14h8M5 2c0 4 6 4 6 6s-6 2-6 6M11 2c0 4-6 4-6 6s6 2 6 6',
  warn: 'M8 2l6.500 11.500h-13zM8 6.500V10M8 12h.01',
  pause: 'M5.500 3v10M10.500 3v10',
  again: 'M13 8a5 5 0 1 1-1.500-3.500L13 6M13 2.500V6H9.500',
  stop: 'M4 4h8v8H4z',
} as const;

/** The names of icons. */
export type IconName = keyof typeof PATHS;

/** An icon. */
export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
