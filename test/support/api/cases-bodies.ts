/** Bodies of all content types, good and bad, and what is no proper request. */
import { apiCase, json, type ApiCase, type CaseDetails } from './cases.ts';

const JSON_PING = '[{"client": "local", "tgt": "min1", "fun": "test.ping"}]';
const YAML_PING = '- client: local\n  tgt: min1\n  fun: test.ping\n';
const FORM_PING = 'client=local&tgt=min1&fun=test.ping';
const FORM = 'application/x-www-form-urlencoded';

function typed(type: string | undefined, body: string): CaseDetails {
  return { body, headers: type === undefined ? {} : { 'Content-Type': type } };
}

const TYPES: readonly (readonly [string | undefined, string])[] = [
  ['application/json', JSON_PING],
  ['application/json', JSON_PING.slice(1, -1)],
  ['application/json; charset=utf-8', JSON_PING],
  ['application/json;charset=latin-1', JSON_PING],
  ['APPLICATION/JSON', JSON_PING],
  ['application/x-yaml', YAML_PING],
  ['application/x-yaml', JSON_PING],
  ['text/yaml', YAML_PING],
  ['application/yaml', YAML_PING],
  ['text/plain', JSON_PING],
  ['text/plain', YAML_PING],
  ['text/plain; charset=utf-8', JSON_PING],
  [FORM, FORM_PING],
  [FORM, JSON_PING],
  [`${FORM}; charset=UTF-8`, FORM_PING],
  [
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="client"\r\n\r\nlocal\r\n--x--\r\n',
  ],
  ['multipart/form-data', FORM_PING],
  ['application/xml', '<low/>'],
  ['text/html', '<p>'],
  ['application/octet-stream', 'abc'],
  ['nonsense', 'abc'],
  ['', JSON_PING],
  [undefined, FORM_PING],
  [undefined, JSON_PING],
  ['application/json', ''],
  ['application/xml', ''],
];

function typeCases(): ApiCase[] {
  return TYPES.flatMap(([type, body], at) => {
    const note = `body ${at} of type ${type ?? 'none'}`;
    return [
      apiCase('POST /', { ...typed(type, body), session: 'alice' }, note),
      apiCase('POST /hook/types', { ...typed(type, body), session: 'alice' }, note),
      apiCase('POST /run', typed(type, body), note),
      apiCase('POST /login', typed(type, body), note),
    ];
  });
}

const DOCUMENTS: readonly string[] = [
  ...[
    '[]',
    '{}',
    'null',
    'true',
    'false',
    '1',
    '-1.5',
    '""',
    '"text"',
    '[[]]',
    '[null]',
    '[1]',
    '["text"]',
    '[{}]',
  ],
  ...[
    '{"client"',
    '[1,]',
    '{"a":1,}',
    'NaN',
    '[NaN]',
    '[Infinity]',
    '{"a": 1} x',
    '﻿{}',
    "{'a': 1}",
    '[1] //',
  ],
  ...['{"client": null}', '{"client": ["local"]}', '{"client": {"a": 1}}', '{"client": 5}', '{"client": ""}'],
  ...[
    '{"client": "local", "client": "runner", "fun": "test.arg"}',
    '\t{"client": "none"}\n',
    '{"__proto__": 1}',
  ],
  '{"constructor": {"prototype": 1}, "client": "toString"}',
  `${'['.repeat(100)}${']'.repeat(100)}`,
];

function documentCases(): ApiCase[] {
  return DOCUMENTS.flatMap((body) => {
    const note = `JSON ${body.length > 60 ? `of ${body.length} characters` : body}`;
    const sent = typed('application/json', body);
    return [
      apiCase('POST /', { ...sent, session: 'alice' }, note),
      apiCase('POST /hook/json', { ...sent, session: 'alice' }, note),
      apiCase('POST /login', sent, note),
      apiCase('POST /token', sent, note),
    ];
  });
}

const YAMLS: readonly string[] = [
  ...[
    '',
    '---',
    '~',
    '[',
    'a: b: c',
    '- client: none\n- 1',
    '!!python/object:os.system {}',
    '!!int "x"',
    '{a: 1, a: 2}',
  ],
  ...[
    '&a [*a]',
    'client: &x none\nfun: *x',
    'a: 2020-01-01',
    '%YAML 9.9\n---\na: 1',
    'a:\n\t- b',
    '---\n1\n---\n2',
    '? [a]\n: b',
  ],
  'client: wheel\nfun: key.name_match\nmatch: nobody\n',
];

function yamlCases(): ApiCase[] {
  return YAMLS.map((body) =>
    apiCase(
      'POST /',
      { ...typed('application/x-yaml', body), session: 'alice' },
      `YAML ${JSON.stringify(body)}`,
    ),
  );
}

const FORMS: readonly string[] = [
  'client=runner&fun=test.arg&arg=1&arg=two&arg=b%3D3',
  'client=runner&fun=test.arg&arg=a%20b&arg=c%2Bd&arg=e+f',
  'client=runner&fun=test.arg&kwarg=%7B%22a%22%3A+1%7D',
  'client=runner&fun=test.arg&kwarg=no',
  'client=runner&fun=test.arg&kwarg=a&kwarg=b',
  'client=runner&fun=test.arg&a=1&b=x&c=',
  'client=runner&client=wheel&fun=test.arg',
  'client=local&tgt=min1&fun=test.arg&arg=%5B1%2C+2%5D&arg=true&arg=~&arg=0x10&arg=1e3&arg=007',
  'client=local&tgt=min1&fun=test.arg&arg=%C3%BC&arg=%FF',
  'client=local&tgt=min1&fun=test.arg&kwarg=%7Ba%3A+1%7D',
  'client=local&tgt=min1&fun=test.arg&arg=',
  'client=local;tgt=min1;fun=test.ping',
  'client=local&tgt=min1&fun=test.ping&&=&x&y=',
  'client=local&tgt=min1,min2&tgt_type=list&fun=test.ping',
  'client=local&tgt=min1&fun=test.ping&full_return=True',
  'client=local&tgt=min1&fun=test.ping&full_return=',
  'client=local&tgt=min1&fun=test.ping&timeout=5',
  'client=local_batch&tgt=*&fun=test.ping&batch=1',
  'client=wheel&fun=key.name_match&match=min*',
  'client=none',
  '=',
  'x',
];

function formCases(): ApiCase[] {
  return FORMS.map((body) => apiCase('POST /', { ...typed(FORM, body), session: 'alice' }, `form ${body}`));
}

/** What is no proper request, or an unusual one; sent as bytes. */
const RAW: readonly (readonly [string, string])[] = [
  ['HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n'],
  ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'],
  ['HTTP/2.0', 'GET / HTTP/2.0\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['no version', 'GET /\r\n\r\n'],
  ['nonsense', 'nonsense\r\n\r\n'],
  ['an absolute address', 'GET http://x/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['a fragment', 'GET /login#x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['a method in small letters', 'get / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['TRACE', 'TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['PROPFIND', 'PROPFIND /login HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\nConnection: close\r\n\r\n'],
  [
    'two lengths',
    'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab',
  ],
  [
    'a length that is none',
    'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\nConnection: close\r\n\r\nab',
  ],
  [
    'a negative length',
    'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\nConnection: close\r\n\r\nab',
  ],
  ['%00 in the address', 'GET /%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['%2F in the address', 'GET /minions%2Fmin1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['%zz in the address', 'GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['two slashes', 'GET //login HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  [
    'slashes in between',
    'GET /keys//min1 HTTP/1.1\r\nHost: x\r\nX-Auth-Token: {session}\r\nConnection: close\r\n\r\n',
  ],
  ['dots', 'GET /static/../users HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  [
    'a body in chunks',
    'POST /hook/c HTTP/1.1\r\nHost: x\r\nX-Auth-Token: {session}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  ],
  [
    'Expect',
    'POST /login HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
  ],
  ['* for OPTIONS', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['a latin-1 header', 'GET /login HTTP/1.1\r\nHost: x\r\nX-Odd: \xfc\r\nConnection: close\r\n\r\n'],
];

/** All of these. */
export function bodyCases(): ApiCase[] {
  return [
    ...typeCases(),
    ...documentCases(),
    ...yamlCases(),
    ...formCases(),
    ...RAW.map(([name, raw]): ApiCase => ({ name: `bytes: ${name}`, method: 'GET', path: '/', raw })),
    apiCase(
      'POST /login',
      json({ username: 'alice', password: 'pw', eauth: 'file' }, { 'Content-Encoding': 'gzip' }),
      'as gzip',
    ),
  ];
}
