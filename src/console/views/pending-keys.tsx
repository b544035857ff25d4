/** How many minions wait for their key to be accepted: beside *Keys* in the menu, and as a line in *Now*. */
import type { JSX } from 'preact';
import { minions } from '../model/questions.ts';
import { linkTo } from '../model/route.ts';
import { Icon } from '../parts/icon.tsx';
import { useApp } from '../state/app.ts';
import { useLoaded } from '../state/loading.ts';
import { useNews } from '../state/news.ts';

function usePendingKeys(): number {
  const app = useApp();
  const news = useNews('keys');
  const can = app.session.can('keys.list');
  const { data } = useLoaded(
    can ? (signal) => app.server.keys({ state: 'pending', limit: '1' }, signal) : undefined,
    [can, news],
  );
  return data?.counts?.pending ?? 0;
}

/** The figure beside *Keys*; nothing while nobody waits. */
export function PendingMark(): JSX.Element | null {
  const count = usePendingKeys();
  if (count === 0) return null;
  return (
    <span class="badge wants" title={`${minions(count)} with a key that nobody has accepted`}>
      {count.toLocaleString('en')}
      <span class="hidden"> pending</span>
    </span>
  );
}

/** The line. */
export function PendingLine(): JSX.Element | null {
  const count = usePendingKeys();
  if (count === 0) return null;
  return (
    <a class="doctor warning" href={linkTo('keys')}>
      <Icon name="keys" /> {minions(count)} {count === 1 ? 'waits' : 'wait'} for{' '}
      {count === 1 ? 'its' : 'their'} key to be accepted
    </a>
  );
}
