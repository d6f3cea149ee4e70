// Apart from `tag-test.ts`: the page's first script needs the first of these, and nothing else of a test.

/** How the address of a test begins after its path. The token behind it opens one test, once. */
export const TEST_FRAGMENT = '#teste='
/** Trades the token for what the page needs to run the test. */
export const TEST_START_PATH = '/api/tag-tests'
export const TEST_STEPS_PATH = '/api/tag-tests/steps'
