import { parentPort } from 'node:worker_threads'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common'
import { dictionary as brazilian } from '@zxcvbn-ts/language-pt-br'

export interface StrengthQuestion {
  id: number
  password: string
  /** Words about the person, which are guessed first. */
  personal: string[]
}

export interface StrengthAnswer {
  id: number
  guesses: number
  /** Part of it is a word, a name or a known password. */
  hasWord: boolean
}

/**
 * Common passwords in Brazil. The estimator also finds them with capitals, trailing digits, leet speak and reversed.
 */
const COMMON_PASSWORDS: readonly string[] = `
123456 123456789 12345678 12345 1234567 1234567890 password senha qwerty abc123 111111 123123 admin letmein welcome
monkey dragon master login princess sunshine shadow football baseball superman batman trustno1 iloveyou starwars
passw0rd access flower hello freedom whatever qazwsx michael jordan hunter ranger buster soccer hockey killer george
asdfgh asdfghjkl zxcvbn zxcvbnm qwertyuiop 1q2w3e4r 1qaz2wsx q1w2e3r4 000000 654321 666666 696969 112233 121212 987654321
administrador administracao usuario acesso entrar mudar trocar teste padrao inicial temporaria provisoria segredo
segura secreta minhasenha novasenha senhaforte suasenha brasil brasileiro saopaulo riodejaneiro minas bahia curitiba
flamengo corinthians palmeiras santos vasco gremio internacional cruzeiro botafogo fluminense atletico
deus jesus cristo senhor gratidao familia amor amormeu teamo meuamor felicidade felipe gabriel lucas mateus pedro
rafael daniel bruno carlos eduardo fernando gustavo henrique leonardo marcos ricardo rodrigo thiago vinicius joao jose
maria ana juliana fernanda camila amanda bruna larissa leticia mariana patricia vanessa beatriz isabela gabriela
estrela princesa borboleta cachorro gatinho coracao saudade vitoria campeao futebol carnaval verao inverno primavera
janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro segunda domingo
bradesco itau nubank santander caixa picpay mercadopago pagseguro stone cielo inter
pagamento pagamentos pix cartao debito credito banco dinheiro empresa portico gateway dashboard painel suporte
cliente financeiro marketing contato changeme default secret guest root toor system user super computer internet
google facebook instagram whatsapp windows samsung iphone android summer winter spring autumn monday friday
`
  .trim()
  .split(/\s+/)

/** Entry of the thread: 130,000 words, in memory only while a password is chosen. */
const estimator = new ZxcvbnFactory({
  dictionary: { ...common, ...brazilian, 'passwords-brazil': [...COMMON_PASSWORDS] },
  graphs: adjacencyGraphs,
})

parentPort?.on('message', ({ id, password, personal }: StrengthQuestion) => {
  const { guesses, sequence } = estimator.check(password, personal)
  const answer: StrengthAnswer = {
    id,
    guesses,
    hasWord: sequence.some(({ pattern }) => pattern === 'dictionary'),
  }
  parentPort?.postMessage(answer)
})
