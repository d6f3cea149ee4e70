import { expect, test } from 'vitest'
import { groupHosts } from './hosts.tsx'

test('lists each host once, with its uses and who opened it', () => {
  const at = '2026-11-15T14:20:00Z'
  expect(
    groupHosts([
      { host: 'static.hotjar.com', directive: 'script', source: 'code' },
      { host: '*.hotjar.io', directive: 'connect', source: 'vendor' },
      { host: '*.hotjar.io', directive: 'img', source: 'vendor' },
      { host: 'cdn.example', directive: 'script', source: 'permitted', by: 'ana@exemplo.com.br', at },
      { host: 'cdn.example', directive: 'font', source: 'code' },
      { host: 'api.example', directive: 'connect', source: 'permitted' },
    ]),
  ).toEqual([
    {
      host: 'static.hotjar.com',
      origins: [{ text: 'está no código do pixel', directives: 'scripts' }],
      isPermitted: false,
    },
    {
      host: '*.hotjar.io',
      origins: [{ text: 'padrão da plataforma', directives: 'envio de dados e imagens' }],
      isPermitted: false,
    },
    {
      host: 'cdn.example',
      origins: [
        {
          text: expect.stringMatching(/^permitido por ana@exemplo\.com\.br em 15\/11\/2026, \d\d:20$/),
          directives: 'scripts',
        },
        { text: 'está no código do pixel', directives: 'fontes' },
      ],
      isPermitted: true,
    },
    {
      host: 'api.example',
      origins: [{ text: 'permitido pela API', directives: 'envio de dados' }],
      isPermitted: true,
    },
  ])
})
