/** Logging in: at first, and again over the page when a session has ended. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { LoginOptions } from '../model/contract.ts';
import { Dialog } from '../parts/dialog.tsx';
import { messageOf } from '../parts/problem.tsx';
import { useApp } from '../state/app.ts';
import { useLoaded } from '../state/loading.ts';

const EAUTH_KEY = 'brine-eauth';

/** @param props.isOver a session has ended: the page stays beneath */
export function Login({ isOver }: { isOver: boolean }): JSX.Element {
  const app = useApp();
  const options = useLoaded(() => app.server.loginOptions(), []);
  useEffect(() => {
    if (!isOver) document.title = 'Log in · Salt console';
  }, [isOver]);
  if (isOver)
    return (
      <Dialog title="Your session has ended" onClose={() => undefined} canClose={false}>
        <p>Log in again to go on where you were.</p>
        <LoginForm options={options.data} user={app.session.me.value?.user ?? ''} />
      </Dialog>
    );
  return (
    <main class="login">
      <div class="login-box">
        <h1>
          <span class="brand-mark" aria-hidden="true" /> Salt console
        </h1>
        <LoginForm options={options.data} user="" />
      </div>
    </main>
  );
}

function LoginForm({ options, user }: { options: LoginOptions | undefined; user: string }): JSX.Element {
  const app = useApp();
  const eauths = options?.eauths ?? [];
  // where a provider is the only way in there is nothing to type
  const oidc = options?.oidc ?? null;
  const isByName = eauths.length > 0 || oidc === null;
  const [eauth, setEauth] = useState(storedEauth());
  const [username, setUsername] = useState(user);
  const [password, setPassword] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState(problemInAddress());
  const chosenOf = (known: readonly string[]): string =>
    known.includes(eauth) ? eauth : (known[0] ?? 'pam');
  const chosen = chosenOf(eauths);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      // whoever is faster than the answer waits for it: a guess would be refused as a wrong password
      const system = chosenOf((options ?? (await app.server.loginOptions())).eauths);
      await app.session.logIn({ username, password, eauth: system });
      storeEauth(system);
    } catch (error) {
      setProblem(messageOf(error));
      setPassword('');
    }
    setBusy(false);
  };
  return (
    <form class="login-form" onSubmit={(event) => void submit(event)}>
      {isByName ? (
        <>
          <label class="field">
            <span>User</span>
            <input
              type="text"
              name="username"
              autoComplete="username"
              autoFocus={user === ''}
              required
              value={username}
              onInput={(event) => setUsername(event.currentTarget.value)}
            />
          </label>
          <label class="field">
            <span>Password</span>
            <input
              type="password"
              name="password"
              autoComplete="current-password"
              autoFocus={user !== ''}
              value={password}
              onInput={(event) => setPassword(event.currentTarget.value)}
            />
          </label>
          {eauths.length > 1 ? (
            <label class="field">
              <span>Authentication system</span>
              <select value={chosen} onChange={(event) => setEauth(event.currentTarget.value)}>
                {eauths.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          ) : null}
        </>
      ) : null}
      {options !== undefined && eauths.length === 0 && options.oidc === null ? (
        <p class="problem">Nobody can log in: external_auth is not set in the configuration of the master.</p>
      ) : null}
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {isByName ? (
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Logging in…' : 'Log in'}
        </button>
      ) : null}
      {oidc === null ? null : (
        <button
          type="button"
          class={isByName ? '' : 'primary'}
          onClick={() => location.assign(new URL(`api/v2/${oidc.href}`, new URL('./', location.href)))}
        >
          Log in with {oidc.name}
        </button>
      )}
    </form>
  );
}

/** What the identity provider was told went wrong comes back behind `#`. */
function problemInAddress(): string | undefined {
  return location.hash.startsWith('#login-error=')
    ? 'The identity provider has not let you in. Try again, or ask whoever runs the API.'
    : undefined;
}

function storedEauth(): string {
  try {
    return localStorage.getItem(EAUTH_KEY) ?? '';
  } catch {
    return '';
  }
}

function storeEauth(eauth: string): void {
  try {
    localStorage.setItem(EAUTH_KEY, eauth);
  } catch {
    // it is asked for next time
  }
}
