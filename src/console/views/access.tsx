/** What one may do oneself, the roles of the configuration, and API tokens. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Token } from '../model/contract.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { messageOf, Problem } from '../parts/problem.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Ago } from '../parts/time.tsx';
import { summary } from '../model/value-rows.ts';
import { readValue } from '../model/words.ts';
import { useApp } from '../state/app.ts';
import { useLoaded } from '../state/loading.ts';

/** The view. */
export function AccessView(): JSX.Element {
  const app = useApp();
  const [tab, setTab] = useState('mine');
  const tabs = [
    { key: 'mine', name: 'My rights' },
    ...(app.session.can('roles.list') ? [{ key: 'roles', name: 'Roles' }] : []),
    ...(app.session.can('tokens.list') ? [{ key: 'tokens', name: 'API tokens' }] : []),
  ];
  return (
    <div class="view">
      <h1>Access</h1>
      <Tabs label="Parts of access" tabs={tabs} open={tab} onOpen={setTab}>
        {tab === 'mine' ? <Mine /> : null}
        {tab === 'roles' ? <Roles /> : null}
        {tab === 'tokens' ? <Tokens /> : null}
      </Tabs>
    </div>
  );
}

function Mine(): JSX.Element | null {
  const app = useApp();
  const me = app.session.me.value;
  if (me === undefined) return null;
  return (
    <>
      <p class="facts">
        <strong>{me.user}</strong>
        <span>logged in by {me.eauth}</span>
        {me.groups.length === 0 ? null : <span>groups: {me.groups.join(', ')}</span>}
        {me.expires === null ? null : (
          <span>
            until <time>{me.expires.replace('T', ' ').slice(0, 16)} UTC</time>
          </span>
        )}
      </p>
      {me.full ? <p>You may do everything.</p> : null}
      <h2>Rules that count for you</h2>
      {me.rules.length === 0 ? <p class="faint">None.</p> : null}
      <div class="scroll">
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">Rule</th>
              <th scope="col">Where it stands</th>
            </tr>
          </thead>
          <tbody>
            {me.rules.slice(0, 500).map(({ rule, source }, at) => (
              <tr key={at}>
                <td class="mono break">{summary(rule, 400)}</td>
                <td class="faint">{source}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Roles(): JSX.Element {
  const app = useApp();
  const { data, error, reload } = useLoaded(() => app.server.roles(), []);
  return (
    <>
      <Problem error={error} onRetry={reload} />
      {data?.items.length === 0 ? <p>The configuration of the master has no roles.</p> : null}
      <div class="cards">
        {(data?.items ?? []).slice(0, 200).map(({ role, users, groups, tokens, rules }) => (
          <section class="card" key={role}>
            <h2>{role}</h2>
            <p class="faint">
              {[
                ...users,
                ...groups.map((group) => `${group}%`),
                ...tokens.map((token) => `token:${token}`),
              ].join(', ') || 'nobody has it'}
            </p>
            <ul class="plain mono">
              {rules.slice(0, 100).map((rule, at) => (
                <li key={at} class="break">
                  {summary(rule, 300)}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  );
}

function Tokens(): JSX.Element {
  const app = useApp();
  const { data, error, reload } = useLoaded(() => app.server.tokens(), []);
  const [isOpen, setOpen] = useState(false);
  const [gone, setGone] = useState<Token | undefined>(undefined);
  const tokens = data?.items ?? [];
  return (
    <>
      <div class="row">
        <p class="grow">Credentials of programs, with rights of their own.</p>
        {app.session.can('tokens.create') ? (
          <button type="button" class="primary" onClick={() => setOpen(true)}>
            New token…
          </button>
        ) : null}
      </div>
      <Problem error={error} onRetry={reload} />
      {data !== undefined && tokens.length === 0 ? <p class="faint">There are none.</p> : null}
      {tokens.length === 0 ? null : (
        <div class="scroll">
          <table class="plain-table">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Rights</th>
                <th scope="col">Made</th>
                <th scope="col">Ends</th>
                <th scope="col">
                  <span class="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {tokens.slice(0, 500).map((token) => (
                <tr key={token.name}>
                  <td>{token.name}</td>
                  <td class="mono break">
                    {[...token.roles, ...token.rules.map((rule) => summary(rule, 120))].join(', ')}
                  </td>
                  <td>
                    <Ago at={token.created} /> {token.created_by === '' ? '' : `by ${token.created_by}`}
                  </td>
                  <td>
                    {token.is_over ? (
                      <span class="bad-text">over</span>
                    ) : token.expires === null ? (
                      'when revoked'
                    ) : (
                      token.expires.slice(0, 10)
                    )}
                  </td>
                  <td>
                    {app.session.can('tokens.revoke') ? (
                      <button type="button" class="quiet text" onClick={() => setGone(token)}>
                        Revoke…
                      </button>
                    ) : null}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isOpen ? (
        <NewToken
          onClose={() => {
            setOpen(false);
            reload();
          }}
        />
      ) : null}
      {gone === undefined ? null : (
        <Confirm
          title={`Revoke ${gone.name}?`}
          action="Revoke"
          isDangerous
          onClose={() => setGone(undefined)}
          onDo={async () => {
            await app.server.revokeToken(gone.name);
            app.notices.done(`The token ${gone.name} was revoked.`);
            reload();
          }}
        >
          <p>Whatever uses this token is turned away from now on.</p>
        </Confirm>
      )}
    </>
  );
}

function NewToken({ onClose }: { onClose: () => void }): JSX.Element {
  const app = useApp();
  const [fields, setFields] = useState({ name: '', roles: '', rules: '', expire: '90d' });
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const roles = useLoaded(app.session.can('roles.list') ? () => app.server.roles() : undefined, []);
  const create = async (): Promise<void> => {
    setProblem(undefined);
    const lines = fields.rules
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    try {
      const made = await app.server.createToken({
        name: fields.name.trim(),
        roles: fields.roles
          .split(',')
          .map((role) => role.trim())
          .filter((role) => role !== ''),
        rules: lines.map(readValue),
        ...(fields.expire.trim() === '' ? {} : { expire: fields.expire.trim() }),
      });
      setSecret(made.token);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const text = (
    name: 'name' | 'roles' | 'expire',
    label: string,
    placeholder: string,
    isNeeded: boolean,
  ): JSX.Element => (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        class="mono"
        autoComplete="off"
        spellcheck={false}
        required={isNeeded}
        placeholder={placeholder}
        value={fields[name]}
        onInput={(event) => setFields({ ...fields, [name]: event.currentTarget.value })}
      />
    </label>
  );
  if (secret !== undefined)
    return (
      <Dialog title={`Token ${fields.name}`} onClose={onClose}>
        <p>Copy it now: it is shown this once. The master keeps its hash only.</p>
        <p class="row">
          <code class="mono break">{secret}</code>
          <CopyButton text={() => secret} label="Copy the token" />
        </p>
        <div class="buttons">
          <button type="button" class="primary" onClick={onClose}>
            Done
          </button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="New API token" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        {text('name', 'Name', 'ci', true)}
        {text(
          'roles',
          `Roles${
            roles.data === undefined || roles.data.items.length === 0
              ? ''
              : `: ${roles.data.items
                  .map(({ role }) => role)
                  .join(', ')
                  .slice(0, 200)}`
          }`,
          'deployers, readers',
          false,
        )}
        <label class="field">
          <span>Rules of its own, one a line, as in external_auth</span>
          <textarea
            class="mono"
            rows={3}
            spellcheck={false}
            placeholder={'test.ping\n{"web*": ["state.apply"]}'}
            value={fields.rules}
            onInput={(event) => setFields({ ...fields, rules: event.currentTarget.value })}
          />
        </label>
        {text('expire', 'Ends after', '90d, 12h; nothing for never', false)}
        {problem === undefined ? null : (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Make it
          </button>
        </div>
      </form>
    </Dialog>
  );
}
