declare global {
  interface Window {
    dataLayer?: unknown[]
    fbq?: (...command: unknown[]) => void
  }
}

/** Google's library tells a command from data by its being an `arguments` object: an array would be ignored. */
export const gtag: (...command: unknown[]) => void = function () {
  window.dataLayer ??= []
  // biome-ignore lint/complexity/noArguments: see above.
  window.dataLayer.push(arguments)
}
