/** Keys that work everywhere: Ctrl-K, `?`, `/`, and `g` with the letter of a view. */
import { useEffect } from 'preact/hooks';
import { linkTo } from '../model/route.ts';
import { nowMs } from '../model/clock.ts';
import { useApp } from '../state/app.ts';

const TOGETHER_MS = 1200;

/** Listens to them as long as the page is there. */
export function useShortcuts(
  views: readonly { readonly path: string; readonly letter: string; readonly needs: string | undefined }[],
): void {
  const app = useApp();
  useEffect(() => {
    let pressedMs = 0;
    const onKey = (event: KeyboardEvent): void => {
      if (app.session.phase.peek() !== 'ready') return;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        app.overlay.value = app.overlay.peek() === 'palette' ? undefined : 'palette';
        return;
      }
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        isTyping(event.target) ||
        app.overlay.peek() !== undefined
      )
        return;
      if (event.key === '?') app.overlay.value = 'shortcuts';
      else if (event.key === '/') {
        const field = document.querySelector<HTMLElement>(
          'main input[type="search"], main input[type="text"]',
        );
        if (field !== null) event.preventDefault();
        field?.focus();
      } else if (event.key === 'g') pressedMs = nowMs();
      else if (nowMs() - pressedMs < TOGETHER_MS) {
        const view = views.find(({ letter }) => letter === event.key);
        pressedMs = 0;
        if (view !== undefined && (view.needs === undefined || app.session.can(view.needs)))
          app.places.go(linkTo(view.path));
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
