import type { LegalBlock, LegalDocument } from './document.ts'

export function LegalText({ document, heading: Heading }: { document: LegalDocument; heading: 'h2' | 'h3' }) {
  return (
    <>
      <p>{document.intro}</p>
      {document.sections.map(({ title, blocks }, index) => (
        <section key={title}>
          <Heading>{`${index + 1}. ${title}`}</Heading>
          {blocks.map((block) => (
            <Block key={String(block)} block={block} />
          ))}
        </section>
      ))}
    </>
  )
}

function Block({ block }: { block: LegalBlock }) {
  if (typeof block === 'string') return <p>{block}</p>
  return (
    <ul>
      {block.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  )
}
