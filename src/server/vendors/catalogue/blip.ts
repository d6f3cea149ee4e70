import type { Vendor } from '../vendor.ts'

export const blip: Vendor = {
  id: 'blip',
  kind: 'script',
  name: 'Blip Chat',
  company: 'Blip (Take Blip)',
  country: 'BR',
  purpose: 'Mostra o chat do bot da Blip no site.',
  category: 'funcionalidade',
  signs: [/unpkg\.com\/blip-chat-widget/i, /chat\.blip\.ai\//i, /\bnew BlipChat ?\(/],
  ids: [
    /withAppKey ?\( ?['"]([A-Za-z0-9+/]{20,200}={0,2})['"]/,
    /chat\.blip\.ai\/\?appKey=([A-Za-z0-9+/%]{20,200}={0,2})/,
  ],
  idLabel: 'Chave do bot (appKey)',
  sample: {
    code: "unpkg.com/blip-chat-widget … new BlipChat().withAppKey('bWV1LWJvdDowMTIzNDU2Nzg5YWJjZGVm').build();",
    id: 'bWV1LWJvdDowMTIzNDU2Nzg5YWJjZGVm',
  },
  hosts: { script: ['unpkg.com'], frame: ['chat.blip.ai'] },
  optionalHosts: [
    { when: 'contract-specific domain (withCustomCommonUrl)', hosts: { frame: ['{contract}.chat.blip.ai'] } },
  ],
  isolated: { needs: 'mostra o chat na página' },
  suffixes: ['blip.ai', 'msging.net'],
  cookies: [
    {
      name: { exact: 'blipSdkUAccount' },
      duration: 'não informado',
      purpose: 'Identifica a pessoa na conversa com o bot da Blip.',
    },
  ],
  thirdPartyCookies: [],
  storage: [
    { area: 'local', key: { prefix: 'blipSdkUAccount', sample: 'blipSdkUAccount' } },
    { area: 'local', key: { exact: 'YmxpcFNka1VBY2NvdW50' } },
  ],
}
