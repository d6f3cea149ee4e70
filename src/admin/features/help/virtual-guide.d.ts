/** Generated from `docs/guia/` by `scripts/guide.ts` at build time. */
declare module 'virtual:guide' {
  export const CHAPTERS: readonly import('./guide.ts').GuideChapter[]
  export const PICTURES: Readonly<Record<string, { src: string; width: number; height: number }>>
}
