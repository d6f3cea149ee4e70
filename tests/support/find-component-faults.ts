import axe from 'axe-core'

/** What axe finds in a part of a component test's document. Nothing is laid out here: colours and sizes are a browser's to judge. */
export async function findComponentFaults(part: Element): Promise<string[]> {
  const { violations } = await axe.run(part, {
    resultTypes: ['violations'],
    rules: { 'color-contrast': { enabled: false }, 'target-size': { enabled: false } },
    preload: false,
  })
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}
