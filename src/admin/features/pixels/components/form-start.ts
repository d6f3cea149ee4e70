/** Where the form of a pixel is begun: whoever comes to mend something begins at it. */
export type FormStart = 'name' | 'code' | 'sending'
