import axe from 'axe-core'

/**
 * What axe finds in the document as it is now. Nothing is laid out here: colours and sizes are a browser's to judge, in
 * the journeys. Without preloading, axe waits for no timer, which stand still until a test moves them.
 */
export async function findComponentFaults(part: Element = document.body): Promise<string[]> {
  const { violations } = await axe.run(part, {
    resultTypes: ['violations'],
    rules: { 'color-contrast': { enabled: false }, 'target-size': { enabled: false } },
    preload: false,
  })
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}
