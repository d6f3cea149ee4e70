import { useState } from 'react'
import { Button, type ButtonProps } from '#admin/components/button.tsx'
import type { Pixel } from '#contract/pixel.ts'
import { useStartTest } from './start-test.ts'
import { TestCodeModal } from './test-code-modal.tsx'

interface TestButtonProps extends Pick<ButtonProps, 'look' | 'className' | 'children'> {
  pixel: Pick<Pixel, 'id' | 'type' | 'delivery'>
}

/** Starts a test; of a pixel that the server tells Meta of, it first asks for the code that makes it one. */
export function TestButton({ pixel, ...look }: TestButtonProps) {
  const start = useStartTest(pixel.id)
  const [isAsking, setAsking] = useState(false)
  const needsCode = pixel.type === 'meta' && pixel.delivery !== 'browser'
  const begin = () => {
    if (start.isPending) return
    if (needsCode) setAsking(true)
    else start.mutate(undefined)
  }
  return (
    <>
      <Button {...look} aria-disabled={start.isPending} onClick={begin} />
      {isAsking ? (
        <TestCodeModal
          pixel={pixel}
          onClose={() => setAsking(false)}
          onStart={(code) => {
            setAsking(false)
            start.mutate(code)
          }}
        />
      ) : null}
    </>
  )
}
