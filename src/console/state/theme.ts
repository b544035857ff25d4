/** Light or dark: what the system says, until somebody chooses. */
import { signal } from '@preact/signals';

/** What was chosen. */
export type Theme = 'system' | 'light' | 'dark';
const KEY = 'brine-theme';

/** Follows the choice; it is kept in the browser. */
export class ThemeChoice {
  readonly theme = signal<Theme>(stored());

  constructor() {
    apply(this.theme.peek());
  }

  choose(theme: Theme): void {
    this.theme.value = theme;
    apply(theme);
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // a browser that keeps nothing asks the system again next time
    }
  }

  /** Goes on to the next one. */
  turn(): void {
    const next: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
    this.choose(next[this.theme.peek()]);
  }
}

function stored(): Theme {
  try {
    const text = localStorage.getItem(KEY);
    return text === 'light' || text === 'dark' ? text : 'system';
  } catch {
    return 'system';
  }
}

function apply(theme: Theme): void {
  const root = document.documentElement;
  if (theme === 'system') root.removeAttribute('data-theme');
  else root.setAttribute('data-theme', theme);
}
