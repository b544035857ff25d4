/** `elasticsearch`: documents (3006.16 salt/modules/elasticsearch.py). */
import { defineFunction } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { BODY, bodyOf, filled, SOURCE } from './bodies.ts';
import { act, PLACE } from './server.ts';

const INDEX = { index: param.text({ doc: 'The index.' }) } as const;
const ID = { id: param.text({ doc: 'The id of the document.' }) } as const;
const DOC_TYPE = {
  doc_type: param.text({ doc: 'The type of the document, `_doc` with servers of today.' }),
} as const;
const ANY_TYPE = {
  doc_type: param.text({
    default: '_all',
    doc: 'The type of the document; `_all` the first that has the id, with servers before 7.',
  }),
} as const;

/** Functions for documents. */
export const documentFunctions = {
  document_create: defineFunction({
    doc: 'Stores a document.',
    params: {
      ...INDEX,
      ...DOC_TYPE,
      ...BODY,
      id: param.valueIfGiven({ default: null, type: 'str', doc: 'Its id; without one the server makes it.' }),
      ...PLACE,
      ...SOURCE,
    },
    returns: 'mapping with what the server says',
    examples: ["salt myminion elasticsearch.document_create testindex doctype1 '{}'"],
    run: async (ctx, { index, doc_type, body, id, source, ...place }) => {
      const given = await bodyOf(ctx, { body, source });
      return act(ctx, place, {
        question: {
          method: id === undefined ? 'POST' : 'PUT',
          path: [index, doc_type, id ?? null],
          body: given === null || given === '' ? filled(given, 'body') : given,
        },
        failed: `Cannot create document in index ${index}`,
      });
    },
  }),
  document_delete: defineFunction({
    doc: 'Removes a document.',
    params: { ...INDEX, ...DOC_TYPE, ...ID, ...PLACE },
    returns: 'mapping with what the server says; None where there is none',
    examples: ['salt myminion elasticsearch.document_delete testindex doctype1 AUx-384m0Bug_8U80wQZ'],
    run: (ctx, { index, doc_type, id, ...place }) =>
      act(ctx, place, {
        question: { method: 'DELETE', path: [index, doc_type, filled(id, 'id')] },
        failed: `Cannot delete document ${id} in index ${index}`,
        missing: null,
      }),
  }),
  document_exists: defineFunction({
    doc: 'Returns whether there is a document.',
    params: { ...INDEX, ...ID, ...ANY_TYPE, ...PLACE },
    returns: 'true or false',
    examples: ['salt myminion elasticsearch.document_exists testindex AUx-384m0Bug_8U80wQZ'],
    run: (ctx, { index, id, doc_type, ...place }) =>
      act(ctx, place, {
        question: { method: 'HEAD', path: [index, doc_type, filled(id, 'id')] },
        failed: `Cannot retrieve document ${id} from index ${index}`,
      }),
  }),
  document_get: defineFunction({
    doc: 'Returns a document.',
    params: { ...INDEX, ...ID, ...ANY_TYPE, ...PLACE },
    returns: 'mapping; None where there is none',
    examples: ['salt myminion elasticsearch.document_get testindex AUx-384m0Bug_8U80wQZ'],
    run: (ctx, { index, id, doc_type, ...place }) =>
      act(ctx, place, {
        question: { method: 'GET', path: [index, doc_type, filled(id, 'id')] },
        failed: `Cannot retrieve document ${id} from index ${index}`,
        missing: null,
      }),
  }),
} as const;
