import { Card } from '#admin/components/card.tsx'
import { PastTests } from './past-tests.tsx'
import { useTests } from './read-tests.ts'

/** On the page of a pixel: the last tests. */
export function TestsCard({ pixelId }: { pixelId: string }) {
  const { data, isError } = useTests(pixelId)
  return (
    <Card role="region" aria-labelledby="tests-heading">
      <header className="px-4 pt-4 pb-2 sm:px-5">
        <h3 id="tests-heading" className="text-base tracking-tight">
          Testes
        </h3>
        <p className="text-sm text-pretty text-text-2">
          Os cinco últimos. Um teste não entra nos números do painel, mas a plataforma pode contá-lo. Só quem
          fez o teste vê os passos.
        </p>
      </header>
      {data === undefined || data.length === 0 ? (
        <p className="px-4 pb-5 text-sm text-text-2 sm:px-5">
          {data !== undefined
            ? 'Nenhum teste ainda. "Testar agora" abre o site em outra aba e mostra passo a passo o que esta tag faz.'
            : isError
              ? 'Não deu para ler os testes deste pixel.'
              : 'Carregando'}
        </p>
      ) : (
        <PastTests pixelId={pixelId} tests={data} />
      )}
    </Card>
  )
}
