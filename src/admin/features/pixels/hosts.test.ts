import { expect, test } from 'vitest'
import { groupHosts } from './hosts.tsx'

test('one entry for each host, with what it is opened for and by whom', () => {
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
      origins: [{ text: 'do código', directives: 'scripts' }],
      isPermitted: false,
    },
    {
      host: '*.hotjar.io',
      origins: [{ text: 'do fornecedor', directives: 'envios e imagens' }],
      isPermitted: false,
    },
    {
      host: 'cdn.example',
      origins: [
        {
          text: expect.stringMatching(/^permitido por ana@exemplo\.com\.br em 15\/11\/2026, \d\d:20$/),
          directives: 'scripts',
        },
        { text: 'do código', directives: 'fontes' },
      ],
      isPermitted: true,
    },
    {
      host: 'api.example',
      origins: [{ text: 'permitido pelo serviço de dados', directives: 'envios' }],
      isPermitted: true,
    },
  ])
})
