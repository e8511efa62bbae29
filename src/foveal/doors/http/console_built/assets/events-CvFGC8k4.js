import{J as e}from"./ProblemNote-w6E9mYD5.js";function t(e){let t=e.replaceAll(`\r
`,`
`).split(`

`),n=t.pop()??``,r=[];for(let e of t){let t={event:`message`,data:[],id:``};for(let n of e.split(`
`))n.startsWith(`event:`)?t.event=n.slice(6).trim():n.startsWith(`data:`)?t.data.push(n.slice(5).replace(/^ /,``)):n.startsWith(`id:`)&&(t.id=n.slice(3).trim());t.data.length&&r.push({event:t.event,data:JSON.parse(t.data.join(`
`)),id:t.id})}return{events:r,rest:n}}async function*n(n,r={}){let i=(await e(n,r)).body?.pipeThrough(new TextDecoderStream).getReader(),a=``;for(;i;){let{value:e,done:n}=await i.read();if(n)return;let r=t(a+e);a=r.rest,yield*r.events}}var r=3e3;function i(e,t,i){let a=new AbortController;return(async()=>{let o=``;for(;!a.signal.aborted;){try{let r=o?{"Last-Event-ID":o}:{};i(!0);for await(let i of n(e,{headers:r,signal:a.signal}))i.id&&(o=i.id),t(i)}catch(e){if(a.signal.aborted)return;console.debug(`the stream broke`,e)}i(!1),await new Promise(e=>setTimeout(e,r))}})(),()=>a.abort()}export{i as n,n as t};