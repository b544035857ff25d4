/** The list of all keys. */
import type { JSX } from 'preact';
import { Dialog } from '../parts/dialog.tsx';
import { useApp } from '../state/app.ts';

/** The dialog. */
export function Shortcuts({
  views,
}: {
  views: readonly { readonly name: string; readonly letter: string }[];
}): JSX.Element {
  const app = useApp();
  const keys: readonly (readonly [string, string])[] = [
    ['Ctrl K or ⌘ K', 'Go to a view, a minion or a job, or run a function'],
    ['?', 'This list'],
    ['/', 'First field of the view'],
    ...views.map(({ name, letter }) => [`g ${letter}`, name] as const),
    ['↑ ↓ Page Home End', 'Move in a table'],
    ['Enter', 'Open the row'],
    ['← →', 'Move between tabs'],
    ['Ctrl Enter', 'Run what the form says'],
    ['Esc', 'Close what is open over the page'],
  ];
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => (app.overlay.value = undefined)}>
      <dl class="shortcuts">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <div class="buttons">
        <button type="button" onClick={() => (app.overlay.value = undefined)}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
