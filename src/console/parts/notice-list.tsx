/** The notices at the edge of the page; screen readers say them as they come. */
import type { JSX } from 'preact';
import { useApp } from '../state/app.ts';
import { Icon } from './icon.tsx';

/** All that are shown now. */
export function NoticeList(): JSX.Element {
  const { notices } = useApp();
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.list.value.map(({ nth, kind, text }) => (
        <div class={`notice ${kind}`} key={nth}>
          <Icon name={kind === 'done' ? 'check' : 'warn'} />
          <span>{text}</span>
          <button type="button" class="quiet" aria-label="Close" onClick={() => notices.close(nth)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
