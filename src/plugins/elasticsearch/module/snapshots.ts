/** `elasticsearch`: repositories and snapshots (3006.16 salt/modules/elasticsearch.py). */
import { defineFunction } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { BODY, filled } from './bodies.ts';
import { accepted, acknowledged, act, PLACE } from './server.ts';

const NAME = { name: param.text({ doc: 'The repository.' }) } as const;
const OF_REPOSITORY = { repository: param.text({ doc: 'The repository.' }) } as const;
const SNAPSHOT = { snapshot: param.text({ doc: 'The snapshot.' }) } as const;
const DEFINITION = {
  body: param.valueIfGiven({ default: null, type: BODY.body.type, doc: BODY.body.doc }),
} as const;
const IGNORE = {
  ignore_unavailable: param.flag({ default: false, doc: 'A snapshot may be missing.' }),
} as const;

/** Functions for repositories and snapshots. */
export const snapshotFunctions = {
  repository_get: defineFunction({
    doc: 'Returns a repository.',
    params: {
      ...NAME,
      local: param.flag({ default: false, doc: 'As the node knows it that is asked.' }),
      ...PLACE,
    },
    returns: 'mapping; None where there is none',
    examples: ['salt myminion elasticsearch.repository_get testrepo'],
    run: (ctx, { name, local, ...place }) =>
      act(ctx, place, {
        question: { method: 'GET', path: ['_snapshot', name], params: { local } },
        failed: `Cannot obtain repository ${name}`,
        missing: null,
      }),
  }),
  repository_create: defineFunction({
    doc: 'Makes a repository for snapshots.',
    params: { ...NAME, body: param.value({ type: 'dict or str', doc: BODY.body.doc }), ...PLACE },
    returns: 'true or false',
    examples: [
      `salt myminion elasticsearch.repository_create testrepo '{"type":"fs","settings":{"location":"/tmp/test","compress":true}}'`,
    ],
    run: (ctx, { name, body, ...place }) =>
      act(ctx, place, {
        question: { method: 'PUT', path: ['_snapshot', name], body: filled(body, 'body') },
        failed: `Cannot create repository ${name}`,
        take: acknowledged,
      }),
  }),
  repository_delete: defineFunction({
    doc: 'Removes a repository.',
    params: { ...NAME, ...PLACE },
    returns: 'true or false',
    examples: ['salt myminion elasticsearch.repository_delete testrepo'],
    run: (ctx, { name, ...place }) =>
      act(ctx, place, {
        question: { method: 'DELETE', path: ['_snapshot', filled(name, 'repository')] },
        failed: `Cannot delete repository ${name}`,
        missing: true,
        take: acknowledged,
      }),
  }),
  repository_verify: defineFunction({
    doc: 'Returns the nodes that can use a repository.',
    params: { ...NAME, ...PLACE },
    returns: 'mapping; None where there is none',
    examples: ['salt myminion elasticsearch.repository_verify testrepo'],
    run: (ctx, { name, ...place }) =>
      act(ctx, place, {
        question: { method: 'POST', path: ['_snapshot', filled(name, 'repository'), '_verify'] },
        failed: `Cannot verify repository ${name}`,
        missing: null,
      }),
  }),
  snapshot_status: defineFunction({
    doc: 'Returns how the snapshots do that are being made.',
    params: {
      repository: param.textIfGiven({ default: null, type: 'str', doc: 'Of this repository.' }),
      snapshot: param.textIfGiven({ default: null, type: 'str', doc: 'Of this snapshot.' }),
      ...IGNORE,
      ...PLACE,
    },
    returns: 'mapping',
    examples: ['salt myminion elasticsearch.snapshot_status ignore_unavailable=True'],
    run: (ctx, { repository, snapshot, ignore_unavailable, ...place }) =>
      act(ctx, place, {
        question: {
          method: 'GET',
          path: ['_snapshot', repository ?? null, snapshot ?? null, '_status'],
          params: { ignore_unavailable },
        },
        failed: 'Cannot obtain snapshot status',
      }),
  }),
  snapshot_get: defineFunction({
    doc: 'Returns a snapshot.',
    params: { ...OF_REPOSITORY, ...SNAPSHOT, ...IGNORE, ...PLACE },
    returns: 'mapping',
    examples: ['salt myminion elasticsearch.snapshot_get testrepo testsnapshot'],
    run: (ctx, { repository, snapshot, ignore_unavailable, ...place }) =>
      act(ctx, place, {
        question: {
          method: 'GET',
          path: ['_snapshot', repository, filled(snapshot, 'snapshot')],
          params: { ignore_unavailable },
        },
        failed: `Cannot obtain details of snapshot ${snapshot} in repository ${repository}`,
      }),
  }),
  snapshot_create: defineFunction({
    doc: 'Makes a snapshot.',
    params: { ...OF_REPOSITORY, ...SNAPSHOT, ...DEFINITION, ...PLACE },
    returns: 'true or false',
    examples: [
      `salt myminion elasticsearch.snapshot_create testrepo testsnapshot '{"indices":"index_1,index_2","ignore_unavailable":true,"include_global_state":false}'`,
    ],
    run: (ctx, { repository, snapshot, body, ...place }) =>
      act(ctx, place, {
        question: {
          method: 'PUT',
          path: ['_snapshot', repository, filled(snapshot, 'snapshot')],
          body: body ?? null,
        },
        failed: `Cannot create snapshot ${snapshot} in repository ${repository}`,
        take: accepted,
      }),
  }),
  snapshot_restore: defineFunction({
    doc: 'Brings back what a snapshot has.',
    params: { ...OF_REPOSITORY, ...SNAPSHOT, ...DEFINITION, ...PLACE },
    returns: 'true or false',
    examples: [
      `salt myminion elasticsearch.snapshot_restore testrepo testsnapshot '{"indices":"index_1,index_2"}'`,
    ],
    run: (ctx, { repository, snapshot, body, ...place }) =>
      act(ctx, place, {
        question: {
          method: 'POST',
          path: ['_snapshot', repository, filled(snapshot, 'snapshot'), '_restore'],
          body: body ?? null,
        },
        failed: `Cannot restore snapshot ${snapshot} in repository ${repository}`,
        take: accepted,
      }),
  }),
  snapshot_delete: defineFunction({
    doc: 'Removes a snapshot.',
    params: { ...OF_REPOSITORY, ...SNAPSHOT, ...PLACE },
    returns: 'true or false',
    examples: ['salt myminion elasticsearch.snapshot_delete testrepo testsnapshot'],
    run: (ctx, { repository, snapshot, ...place }) =>
      act(ctx, place, {
        question: {
          method: 'DELETE',
          path: ['_snapshot', filled(repository, 'repository'), filled(snapshot, 'snapshot')],
        },
        failed: `Cannot delete snapshot ${snapshot} from repository ${repository}`,
        missing: true,
        take: acknowledged,
      }),
  }),
} as const;
