// Lint rules: type-aware, because a floating promise is a lost return.
import tseslint from 'typescript-eslint';

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
    // an object in a text is `[object Object]` in a log
    files: ['src/**/*.ts', 'src/**/*.tsx'],
    rules: {
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
