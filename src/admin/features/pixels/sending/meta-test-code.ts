/** As the server takes it. */
export const META_TEST_CODE = /^[A-Za-z0-9_-]{1,64}$/
