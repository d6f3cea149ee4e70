import { useState } from 'react'
import { Button, type ButtonProps } from '#admin/components/button.tsx'
import type { Pixel } from '#contract/pixel.ts'
import { useStartTest } from './start-test.ts'
import { TestCodeModal } from './test-code-modal.tsx'

interface TestButtonProps extends Pick<ButtonProps, 'look' | 'className' | 'children'> {
  pixel: Pick<Pixel, 'id' | 'type' | 'delivery'>
}

/** Meta asks for a code where the server takes part. */
export const needsTestCode = ({ type, delivery }: Pick<Pixel, 'type' | 'delivery'>) =>
  type === 'meta' && delivery !== 'browser'

/** Starts a test; of a pixel that the server tells Meta of, it first asks for the code that makes it one. */
export function TestButton({ pixel, ...look }: TestButtonProps) {
  const start = useStartTest()
  const [isAsking, setAsking] = useState(false)
  const begin = () => {
    if (start.isPending) return
    if (needsTestCode(pixel)) setAsking(true)
    else start.mutate({ pixelId: pixel.id })
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
            start.mutate({ pixelId: pixel.id, testCode: code })
          }}
        />
      ) : null}
    </>
  )
}
