// Lint rules: type-aware, because a floating promise is a lost return.
import tseslint from 'typescript-eslint';
import { brineRules } from './scripts/lint-borders.mjs';

/** Rules of the strict sets that the house does without, each with the reason. */
const LAX = off({
  'a value of Python is a union, and is shown by pyStr where its kind is not known': ['no-base-to-string'],
  'arrows that do one thing are written on one line': [
    'no-confusing-void-expression',
    'no-meaningless-void-operator',
  ],
  'an assertion names the type that a reader has to know': ['non-nullable-type-assertion-style'],
  'keys of the wire are not names of the program': ['dot-notation'],
  'JSON and packages without types are read at the border': [
    ...['no-unsafe-assignment', 'no-unsafe-argument', 'no-unsafe-return', 'no-unsafe-member-access'],
    ...['no-unsafe-enum-assignment', 'no-redundant-type-constituents'],
  ],
  'strings are spread into characters on purpose': ['no-misused-spread'],
  'a table is checked by types that its reader does not see': [
    ...['no-unnecessary-condition', 'no-unnecessary-type-conversion', 'no-unnecessary-type-parameters'],
    ...['no-invalid-void-type', 'no-generated-empty-object-type', 'no-useless-default-assignment'],
  ],
  'an empty text is as good as none': ['prefer-nullish-coalescing', 'prefer-optional-chain'],
  'a function keeps its promise though it does not wait': ['require-await', 'return-await'],
  'methods that use no `this` are handed about': ['unbound-method', 'no-this-alias'],
  'the compiler names what is unused': ['no-unused-vars'],
  'it ends with an error in some of our files': ['no-unsafe-class-instance-assignment'],
  'a matter of taste, in which the two ways say the same': [
    ...['prefer-string-starts-ends-with', 'prefer-includes', 'no-unnecessary-boolean-literal-compare'],
    ...['consistent-generic-constructors', 'no-unnecessary-template-expression', 'prefer-return-this-type'],
    ...['no-unnecessary-type-arguments', 'consistent-indexed-object-style', 'consistent-type-definitions'],
  ],
  'a stream is read to its end by a loop that only names its pieces': ['no-unused-expressions'],
  'one case each, which a reader understands': [
    ...['no-deprecated', 'no-dynamic-delete', 'class-literal-property-style', 'prefer-for-of'],
    ...['restrict-plus-operands', 'use-unknown-in-catch-callback-variable', 'prefer-promise-reject-errors'],
    ...['no-non-null-assertion', 'only-throw-error'],
  ],
});

function off(reasons) {
  const names = Object.values(reasons).flat();
  return Object.fromEntries(names.map((name) => [`@typescript-eslint/${name}`, 'off']));
}

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'build/**',
      'node_modules/**',
      'test/fixtures/**',
      '**/*.mjs',
      '**/*.cjs',
      'eslint.config.js',
      'bin/**',
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-control-regex': 'off',
      // code is prettier's; an address or a command line may be longer
      'max-len': ['error', { code: 10_000, comments: 120, ignoreUrls: true, ignorePattern: 'node scripts/' }],
      'max-lines-per-function': ['error', { max: 120, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    // as strict as the rules' authors are with themselves, but for what is named below
    files: ['src/**/*.ts', 'src/**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    plugins: { brine: brineRules },
    rules: {
      ...LAX,
      'brine/borders': 'error',
      // an object in a text is `[object Object]` in a log
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true, allowNullish: true, allowArray: true },
      ],
    },
  },
  {
    // a module file is one table of functions, and a test file one list of cases
    files: [
      ...['test/**/*.ts', 'bench/**/*.ts', 'src/config/**/*.ts'],
      ...['src/plugins/**/*module.ts', 'src/plugins/**/module/**/*.ts', 'src/plugins/shared/*.ts'],
    ],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    // `test()` gives a promise that nobody waits for
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: { '@typescript-eslint/no-floating-promises': 'off' },
  },
);
