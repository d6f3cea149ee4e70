import type { Pixel } from '#contract/pixel.ts'
import { Button } from '../../../components/button.tsx'
import { MessageBox } from '../../../components/message-box.tsx'
import { formatTimestamp } from '../../../lib/format-date.ts'

interface PixelConflictProps {
  theirs: Pixel
  onReload: () => void
  onOverwrite: () => void
}

/** Two administrators at once: nobody's work is replaced without a decision. */
export function PixelConflict({ theirs, onReload, onOverwrite }: PixelConflictProps) {
  return (
    <MessageBox
      look="warn"
      advice={`A versão salva é de ${formatTimestamp(theirs.updated_at)}. Nada seu foi perdido: escolha como seguir.`}
      actions={
        <>
          <Button look="outline" onClick={onReload}>
            Carregar a versão salva
          </Button>
          <Button look="outline" onClick={onOverwrite}>
            Salvar a minha mesmo assim
          </Button>
        </>
      }
    >
      Outra pessoa alterou este pixel enquanto você editava.
    </MessageBox>
  )
}
