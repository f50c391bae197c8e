"""scenarios.py: the harnesses, what they are made of, and the scenarios that each runs."""


class Harness:
    def __init__(self, name, sources, quick, full=(), included=()):
        self.name = name
        self.sources = sources  # of the library, compiled beside it
        self.included = list(included)  # of the library, that the harness includes as text
        self.quick = quick
        self.full = list(full)

    def all(self, full):
        return self.quick + (self.full if full else [])


# Lines of the library that only bound how long something waits. A long wait is many equal steps: one will do.
# And what is one for each thread there must be so here, where all threads are one.
CUTS = {
    'deque/frames.c': [('#define PATIENCE 64', '#define PATIENCE 1')],
    'schedule/worker.c': [('static _Thread_local heist__worker *self;',
                           '#define self (*(heist__worker **)(void *)model_local())')],
    'schedule/submit.c': [('    static _Thread_local unsigned mine;', '    unsigned mine = 1;'),
                          ('#define ROOM_PAUSES 64', '#define ROOM_PAUSES 0')],
}

FORK_JOIN = ['deque/frames.c', 'schedule/join.c', 'schedule/spawn.c', 'schedule/level.c']

SCHEDULER = FORK_JOIN + ['schedule/loose.c', 'schedule/submit.c', 'schedule/wait.c', 'schedule/inbox_builtin.c', 'deque/deque.c', 'idle/idle.c',
                         'quiescence/detector.c', 'memory/object_pool.c']

HARNESSES = {harness.name: harness for harness in [
    Harness('ring', ['deque/deque.c'], [
        'script=ppoo thieves=2',
        'script=ppoo tries=2',
        'script=pppoo tries=2',
        'script=pppoo tries=2 at=-2',
        'script=ppopopp tries=2',
        'script=ppppo tries=2 half',
        'script=pppoo thieves=2 --preemptions 3 --stale 2',
    ], [
        'script=pppoo thieves=2 --stale 1',
        'script=pppoo tries=2 --late-sc',
        'script=pppooo thieves=2 tries=2 --preemptions 3 --stale 2',
        'script=pppopopoo thieves=2 tries=2 --preemptions 2 --stale 2',
        'script=pppppooopo thieves=2 tries=3 --random 100000',
    ]),
    Harness('aside', ['deque/deque.c', 'openmp/find.c'], [
        'script=aoo thieves=f',
        'script=aoao thieves=ff',
        'script=aaoo thieves=f',
        'script=aaoo thieves=ff --preemptions 3 --stale 2',
        'script=aasoo thieves=ft --preemptions 3 --stale 2',
        'script=paoo thieves=tf --preemptions 3 --stale 2',
        'script=aaoo thieves=f,f --preemptions 2 --stale 1',
        'script=aapooo thieves=f at=-1 --preemptions 3 --stale 1',
    ], [
        'script=aaoo thieves=ff',
        'script=aoaoo thieves=f,f --preemptions 3 --stale 2',
        'script=aasooao thieves=ft,ft --preemptions 2 --stale 1',
        'script=aaoo thieves=ff --split --preemptions 3 --stale 2',
        'script=apasooao thieves=ftf,tft --random 100000',
    ]),
    Harness('frames', FORK_JOIN, [
        'script=aA tries=2',
        'script=aA tries=2 fenced',
        'script=abBA tries=2 --preemptions 3 --stale 2',
        'script=abAB tries=2 --preemptions 3 --stale 1',
        'script=abBA tries=2 fenced --preemptions 3 --stale 2',
        'script=abBA thieves=2 --preemptions 2 --stale 1',
        'script=BA begin=2 published=2 thieves=2 --preemptions 3 --stale 1',
        'script=abcCBA thieves=2 --preemptions 3 --stale 0',
        'script=ab!BA tries=2 --preemptions 3 --stale 1',
        'script=a!bAB tries=2 fenced --preemptions 3 --stale 1',
    ], [
        'script=a!b!BA thieves=2 --preemptions 3 --stale 1',
        'script=abBA tries=2 late --stale 1',
        'script=abBA tries=2 fenced --stale 1',
        'script=abBA tries=2 --split --preemptions 3 --stale 2',
        'script=abcABC tries=3 --preemptions 4 --stale 1',
        'script=abBA thieves=2 tries=2 --preemptions 3 --stale 1',
        'script=abBA thieves=2 fenced --preemptions 3 --stale 1',
        'script=CBA begin=3 published=3 thieves=2 tries=2 --preemptions 3 --stale 1',
        'script=abAcBdDC thieves=2 tries=3 --random 100000',
        'script=abcBdADC thieves=2 tries=3 fenced --random 100000',
    ]),
    Harness('join', FORK_JOIN, [
        'shape=below',
        'shape=below park',
        'shape=nested --stale 2',
        'shape=pair --preemptions 2 --stale 1',
        'shape=pair park --preemptions 3 --stale 1',
        'shape=crossed --preemptions 2 --stale 0',
        'shape=chain --preemptions 1 --stale 0',
    ], [
        'shape=crossed --preemptions 3 --stale 1',
        'shape=pair --preemptions 4 --stale 2',
        'shape=pair fenced --preemptions 3 --stale 2',
        'shape=two --preemptions 3 --stale 1',
        'shape=chain --preemptions 2 --stale 1',
        'shape=chain --preemptions 3 --stale 0',
        'shape=chain park --random 100000',
    ]),
    Harness('inbox', ['schedule/inbox_builtin.c'], [
        'threads=pt,pt',
        'threads=p,p,tt',
        'threads=pppp,tt full=1',
        'threads=pe,t,pt --stale 2',
        'threads=pt,pt,pt --preemptions 3 --stale 1',
        'threads=pb,pb',
        'threads=pp,pb,b --preemptions 3 --stale 1',
    ], [
        'threads=pt,pt,pt --preemptions 3 --stale 3',
        'threads=ppb,pb,bp full=1 --preemptions 3 --stale 2',
        'threads=ppt,ppt,ttp full=1 --preemptions 3 --stale 1',
        'threads=pptpt,ptppt,ttpet --random 100000',
    ]),
    Harness('quiet', ['quiescence/detector.c'], ['asks=2', 'asks=2 outside', 'asks=2 refused']),
    Harness('pool', SCHEDULER, [
        'bare pusher=p',
        'bare pusher=p fenced',
        'bare pusher=p crowd --stale 1',
        'bare pusher=pp crowd --preemptions 2 --stale 0',
        'bare outside=s crowd --stale 1',
        'bare pusher=pp --stale 1',
        'bare pusher=php --preemptions 3 --stale 1',
        'bare pusher=hp --preemptions 2 --stale 2 --late-sc',
        'bare outside=s',
        'bare outside=sw --preemptions 3 --stale 1',
        'bare outside=sw fenced --preemptions 3 --stale 1',
        'bare outside=sw second=w --preemptions 2 --stale 1',
        'bare outside=Se --preemptions 3 --stale 1',
        'bare outside=Se second=w --preemptions 2 --stale 1',
        'bare workers=2 outside=ssw --preemptions 2 --stale 0',
        'pusher=p --preemptions 2 --stale 1',
        'pusher=l --preemptions 2 --stale 1',
        'pusher=l outside=w --preemptions 2 --stale 0',
        'outside=sw --preemptions 2 --stale 1',
        'outside=sw bodies=d. --preemptions 2 --stale 0',
        'bare outside=sss --preemptions 2 --stale 1',
        'bare outside=sss batch=2 --preemptions 2 --stale 1',
        'workers=2 outside=ss batch=2 bodies=L. --preemptions 1 --stale 0',
        'bare outside=sx --preemptions 3 --stale 1',
        'bare outside=s second=Tx --preemptions 3 --stale 0',
        'bare outside=s second=q --preemptions 2 --stale 1',
        'bare outside=s second=q fenced --preemptions 2 --stale 1',
        'bare workers=2 pusher=pp bodies=LLL --preemptions 2 --stale 0',
        'workers=2 pusher=ll bodies=LLL --preemptions 2 --stale 0',
    ], [
        'bare pusher=pp',
        'bare pusher=pp --late-sc --stale 2',
        'bare outside=ss --late-sc --stale 2',
        'bare pusher=p --split',
        'bare pusher=pp crowd --preemptions 3 --stale 1',
        'bare workers=2 pusher=pp crowd bodies=LLL --preemptions 2 --stale 0',
        'bare workers=2 outside=ss crowd bodies=LLL --preemptions 2 --stale 0',
        'workers=2 pusher=ll crowd bodies=LLL --preemptions 2 --stale 0',
        'bare pusher=php --stale 2',
        'bare workers=2 pusher=pp bodies=LLL --preemptions 3 --stale 1',
        'workers=2 pusher=ll bodies=LLL --preemptions 3 --stale 1',
        'bare workers=2 outside=ss bodies=LLL --preemptions 3 --stale 1',
        'workers=2 outside=sw bodies=d. --preemptions 2 --stale 0',
        'workers=2 outside=sw bodies=f. --preemptions 2 --stale 0',
        'workers=2 outside=ssx bodies=d.. --random 30000',
        'workers=2 outside=ss batch=2 bodies=L. --preemptions 2 --stale 1',
        'workers=2 outside=sssx batch=2 bodies=d... --random 30000',
        'workers=2 pusher=plp outside=s --random 30000',
    ], included=['schedule/worker.c', 'schedule/pool.c']),
]}
