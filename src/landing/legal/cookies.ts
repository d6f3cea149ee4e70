import type { LegalDocument, LegalParties } from './legal-document.ts'

export function cookiePolicy(parties: LegalParties): LegalDocument {
  return {
    intro: `Cookies são pequenos arquivos que um site grava no seu navegador. Este texto diz quais a ${parties.brandName} usa, para quê, e como você decide. Nada além do essencial é gravado antes da sua escolha, e o site funciona por inteiro se você recusar.`,
    sections: [
      {
        title: 'Cookies essenciais',
        blocks: [
          'Fazem o site funcionar e não podem ser desligados: lembram a sua escolha sobre cookies por 182 dias e protegem o acesso administrativo. Base legal: legítimo interesse e exercício regular de direitos.',
        ],
      },
      {
        title: 'Cookies de desempenho',
        blocks: [
          'Medem visitas, origem do tráfego e velocidade das páginas, para sabermos o que melhorar. Um exemplo é o Google Analytics. Só com o seu consentimento.',
        ],
      },
      {
        title: 'Cookies de funcionalidade',
        blocks: [
          'Lembram preferências e personalizam recursos, como um atendimento por chat. Só com o seu consentimento.',
        ],
      },
      {
        title: 'Cookies de marketing',
        blocks: [
          'Medem o resultado de anúncios e permitem mostrar campanhas a quem já visitou o site. Exemplos são o pixel da Meta e tags do Google Tag Manager. Podem envolver o envio de dados a essas empresas, no Brasil e no exterior. Só com o seu consentimento.',
        ],
      },
      {
        title: 'Como mudar de ideia aqui',
        blocks: [
          'Use “Preferências de cookies”, no rodapé do site, a qualquer momento e sem custo. Revogar é tão simples quanto aceitar: os cookies que o site consegue alcançar são apagados e os scripts deixam de rodar. Guardamos um registro da escolha com data e categorias, sem o seu endereço IP.',
        ],
      },
      {
        title: 'Como gerenciar no navegador',
        blocks: [
          'Você também pode bloquear ou apagar cookies nas configurações de privacidade do navegador:',
          [
            'Chrome: Configurações, Privacidade e segurança, Cookies de terceiros.',
            'Safari: Ajustes, Apps, Safari, Privacidade e segurança.',
            'Firefox: Configurações, Privacidade e segurança, Cookies e dados de sites.',
            'Edge: Configurações, Cookies e permissões de site.',
          ],
          'Ao apagar todos os cookies, a sua escolha também é esquecida e o aviso volta a aparecer.',
        ],
      },
      {
        title: 'Dúvidas',
        blocks: [`Escreva para ${parties.dpoEmail ?? parties.contactEmail}.`],
      },
    ],
  }
}
