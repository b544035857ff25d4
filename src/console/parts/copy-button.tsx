/** Copies a text. */
import type { JSX } from 'preact';
import { useApp } from '../state/app.ts';
import { Icon } from './icon.tsx';

/** A button that copies; where the browser does not let it, it says so. */
export function CopyButton({ text, label }: { text: () => string; label: string }): JSX.Element {
  const app = useApp();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      app.notices.done('Copied.');
    } catch {
      app.notices.error(
        'The browser does not let this page copy: it does so over HTTPS and on localhost only.',
      );
    }
  };
  return (
    <button type="button" class="quiet" aria-label={label} title={label} onClick={() => void copy()}>
      <Icon name="copy" />
    </button>
  );
}
